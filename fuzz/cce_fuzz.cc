// Whatever the bytes, as a list of any form or as a part of a workbook: entries are read or refused, and each id that
// is given out is a good one, once.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/testing/memory_source.h"
#include "feeds/providers/cce_files.h"
#include "feeds/providers/cce_workbook.h"

namespace {

using namespace slipway;
using namespace slipway::feeds;

void check_list(const std::string& bytes) {
  archive::MemorySource source(bytes);
  CceCollection collection({.ids = 100, .bytes = 1UL << 16, .same_id = 10, .bad = 10});
  (void)collect_cce_list("list", source, collection, {});
  std::set<std::string> seen;
  for (std::size_t i = 0; i < collection.size(); ++i) {
    const auto record = collection.record(i);
    if (!record || !check_cce_id(record->urn.id()) || !seen.insert(record->urn.text()).second) std::abort();
    if (!nlohmann::json::accept(std::get<Cce>(record->details).body)) std::abort();
  }
}

void check_workbook(const std::string& bytes) {
  CceWorkbook workbook(/*most_shared=*/4096);
  for (const auto* const part : {"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/sharedStrings.xml"}) {
    archive::MemorySource source(bytes);
    (void)workbook.read_part(part, source);
  }
  archive::MemorySource source(bytes);
  (void)workbook.read_sheet(source, [](std::size_t, const std::vector<std::string>& cells) -> Result<> {
    if (cells.size() > CceWorkbook::kMostColumns) std::abort();
    return {};
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (cce_title(bytes).size() > 120) std::abort();
  check_list(bytes);
  check_workbook(bytes);
  return 0;
}
