#include "feeds/providers/stix.h"

#include <algorithm>
#include <utility>

#include "feeds/formats/json_elements.h"

namespace slipway::feeds {
namespace {

constexpr std::size_t kMostObjects = 1'000'000;

std::string phase_key(std::string_view chain, std::string_view phase) { return fmt::format("{}/{}", chain, phase); }

// The chain that a tactic's techniques name: by its domain.
std::string_view chain_of(const JsonNode& tactic) {
  for (const auto& domain : tactic["x_mitre_domains"].items()) {
    if (domain.text() == "mobile-attack") return "mitre-mobile-attack";
    if (domain.text() == "ics-attack") return "mitre-ics-attack";
  }
  return "mitre-attack";
}

}  // namespace

std::string external_id(const JsonNode& object, const StixNames& names) {
  for (const auto& reference : object["external_references"].items()) {
    const auto source = reference["source_name"].text();
    if (std::ranges::find(names.source_names, source) == names.source_names.end()) continue;
    std::string id(reference["external_id"].text());
    if (object["type"].text() == "course-of-action" && id.starts_with('T')) id += "/mitigation";
    return id;
  }
  return {};
}

Result<> StixOutline::read(archive::ByteSource& bundle) {
  JsonElements elements(bundle, {.lists = {"objects"}});
  JsonDocument document;
  for (;;) {
    auto element = elements.next();
    if (!element) return fail(std::move(element.error()));
    if (!*element) return {};
    if ((*element)->kind == JsonElement::Kind::kWhole) {
      return fail(ErrorKind::kCorrupt, "it is no STIX bundle: it has no list \"objects\"");
    }
    // An object that cannot be read is counted when it is read for its record.
    if (const auto object = document.parse((*element)->text); object && object->is_object()) {
      if (auto added = add(*object); !added) return added;
    }
  }
}

Result<> StixOutline::add(const JsonNode& object) {
  if (++objects_ > kMostObjects) return fail(ErrorKind::kCorrupt, "it has more than {} objects", kMostObjects);
  if (object["type"].text() == "relationship") {
    add_relation(object);
    return {};
  }
  const auto id = external_id(object, names_);
  if (id.empty()) return {};
  auto urn = Urn::make("mitre", names_.kind, id);
  if (!urn) return {};  // as above
  if (object["type"].text() == "x-mitre-tactic") {
    tactics_.insert_or_assign(phase_key(chain_of(object), object["x_mitre_shortname"].text()), *urn);
  }
  urns_.insert_or_assign(std::string(object["id"].text()), std::move(*urn));
  return {};
}

void StixOutline::add_relation(const JsonNode& object) {
  if (object["revoked"].flag() || object["x_mitre_deprecated"].flag()) return;
  relations_[std::string(object["source_ref"].text())].push_back(
      {std::string(object["relationship_type"].text()), std::string(object["target_ref"].text())});
}

std::optional<Urn> StixOutline::urn_of(std::string_view stix_id) const {
  const auto found = urns_.find(std::string(stix_id));
  if (found == urns_.end()) return std::nullopt;
  return found->second;
}

std::vector<Link> StixOutline::links_of(std::string_view stix_id) const {
  std::vector<Link> links;
  const auto found = relations_.find(std::string(stix_id));
  if (found == relations_.end()) return links;
  for (const auto& relation : found->second) {
    if (auto target = urn_of(relation.target)) links.push_back({relation.relation, std::move(*target)});
  }
  return links;
}

std::optional<Urn> StixOutline::tactic(std::string_view chain, std::string_view phase) const {
  const auto found = tactics_.find(phase_key(chain, phase));
  if (found == tactics_.end()) return std::nullopt;
  return found->second;
}

}  // namespace slipway::feeds
