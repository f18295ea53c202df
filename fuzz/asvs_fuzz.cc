// Whatever the bytes, as JSON or CSV: requirements are read or refused, and no id is given out twice by a flat list.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/testing/memory_source.h"
#include "feeds/providers/asvs_provider.h"
#include "feeds/providers/asvs_record.h"
#include "feeds/providers/items.h"

namespace {

using namespace slipway;
using namespace slipway::feeds;

void check(const Record& record) {
  const auto& asvs = std::get<Asvs>(record.details);
  if (record.urn.kind() != "asvs" || asvs.level < 0 || asvs.level > 3 || !nlohmann::json::accept(asvs.body))
    std::abort();
  if (asvs.category != "chapter" && record.links.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (asvs_version(bytes, bytes, /*numbered_levels=*/false).empty()) std::abort();
  archive::MemorySource source(bytes);
  const auto items = asvs_items("file", source);
  const bool csv = bytes.find_first_of("{[") == std::string::npos;
  std::set<std::string> seen;
  for (;;) {
    const auto more = items->advance();
    if (!more || !*more) return 0;
    const auto records = items->records();
    if (!records) continue;
    for (const auto& record : *records) {
      check(record);
      if (!seen.insert(record.urn.text()).second && csv) std::abort();
    }
  }
}
