#include "feeds/providers/capec_provider.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "feeds/providers/capec_record.h"
#include "feeds/providers/xml_items.h"

namespace slipway::feeds {

std::unique_ptr<Items> capec_items(std::string file, archive::ByteSource& bytes) {
  return xml_items(
      std::move(file), bytes,
      {.roots = {"Attack_Pattern_Catalog"}, .elements = {.records = {"Attack_Pattern", "Category", "View"}}},
      [](const XmlItem& item) -> Result<std::vector<Record>> {
        auto record = read_capec(item.record.node);
        if (!record) return fail(std::move(record.error()));
        std::vector<Record> one;
        one.push_back(std::move(*record));
        return one;
      });
}

StixNames capec_names() { return {.source_names = {"capec"}, .kind = "capec"}; }

bool CapecProvider::wants(std::string_view file) const { return file.ends_with(".xml") || file.ends_with(".json"); }

Result<> CapecProvider::survey(const Fetched& source, const std::stop_token& stop) {
  Fetched bundles;
  std::ranges::copy_if(source.parts, std::back_inserter(bundles.parts),
                       [](const FetchedPart& part) { return part.name.find(".json") != std::string::npos; });
  auto outline = survey_stix(bundles, capec_names(), stop);
  if (!outline) return fail(std::move(outline.error()));
  outline_.emplace(std::move(*outline));
  return {};
}

Result<std::unique_ptr<Items>> CapecProvider::open(const FeedFile& file) {
  if (file.name.ends_with(".json")) return stix_items(file.name, *file.bytes, *outline_, read_capec_object);
  return capec_items(file.name, *file.bytes);
}

}  // namespace slipway::feeds
