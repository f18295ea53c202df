#include "feeds/providers/capec_provider.h"

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

// What was downloaded has no name of its own.
bool CapecProvider::wants(std::string_view file) const {
  return file.ends_with(".xml") || file.find('.') == std::string_view::npos;
}

Result<std::unique_ptr<Items>> CapecProvider::open(const FeedFile& file) { return capec_items(file.name, *file.bytes); }

}  // namespace slipway::feeds
