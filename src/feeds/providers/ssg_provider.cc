#include "feeds/providers/ssg_provider.h"

#include <algorithm>
#include <array>
#include <utility>

#include "feeds/providers/ssg_record.h"
#include "feeds/providers/xml_items.h"

namespace slipway::feeds {

bool is_ssg_file(std::string_view name) {
  constexpr auto kOthers = std::to_array<std::string_view>({"oval.xml", "ocil.xml", "cpe-dictionary.xml"});
  if (std::ranges::any_of(kOthers, [name](std::string_view end) { return name.ends_with(end); })) return false;
  return name.ends_with(".xml");
}

std::unique_ptr<Items> ssg_items(std::string file, archive::ByteSource& bytes) {
  return xml_items(std::move(file), bytes,
                   {.roots = {"data-stream-collection", "Benchmark"}, .elements = ssg_elements()},
                   [](const XmlItem& item) { return read_ssg(item.record); });
}

bool SsgProvider::wants(std::string_view file) const { return is_ssg_file(file); }
Result<std::unique_ptr<Items>> SsgProvider::open(const FeedFile& file) { return ssg_items(file.name, *file.bytes); }

}  // namespace slipway::feeds
