#include "feeds/providers/attack_provider.h"

#include <utility>

namespace slipway::feeds {

StixNames attack_names() {
  return {.source_names = {"mitre-attack", "mitre-mobile-attack", "mitre-ics-attack"}, .kind = "attack"};
}

Result<> AttackProvider::survey(const Fetched& source, const std::stop_token& stop) {
  auto outline = survey_stix(source, attack_names(), stop);
  if (!outline) return fail(std::move(outline.error()));
  outline_.emplace(std::move(*outline));
  return {};
}

Result<std::unique_ptr<Items>> AttackProvider::open(const FeedFile& file) {
  return stix_items(file.name, *file.bytes, *outline_, read_attack_object);
}

}  // namespace slipway::feeds
