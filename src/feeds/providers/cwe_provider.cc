#include "feeds/providers/cwe_provider.h"

#include <utility>

#include "feeds/providers/cwe_record.h"
#include "feeds/providers/xml_items.h"

namespace slipway::feeds {

std::unique_ptr<Items> cwe_items(std::string file, archive::ByteSource& bytes) {
  return xml_items(std::move(file), bytes,
                   {.roots = {"Weakness_Catalog"}, .elements = {.records = {"Weakness", "Category", "View"}}},
                   [](const XmlItem& item) -> Result<std::vector<Record>> {
                     auto record = read_cwe(item.record.node);
                     if (!record) return fail(std::move(record.error()));
                     std::vector<Record> one;
                     one.push_back(std::move(*record));
                     return one;
                   });
}

bool CweProvider::wants(std::string_view file) const { return file.ends_with(".xml"); }

Result<std::unique_ptr<Items>> CweProvider::open(const FeedFile& file) { return cwe_items(file.name, *file.bytes); }

}  // namespace slipway::feeds
