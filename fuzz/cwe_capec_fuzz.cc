// Whatever the bytes: an entry of CWE's or CAPEC's catalog is read or refused, and what is read can be stored.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/testing/memory_source.h"
#include "feeds/formats/xml_elements.h"
#include "feeds/providers/capec_record.h"
#include "feeds/providers/cwe_record.h"

namespace {

using namespace slipway;
using namespace slipway::feeds;

void check(const Result<Record>& record, std::string_view kind) {
  if (!record) {
    if (record.error().kind() != ErrorKind::kCorrupt) std::abort();
    return;
  }
  if (record->urn.kind() != kind || record->title.empty()) std::abort();
  const auto& body = kind == "cwe" ? std::get<Cwe>(record->details).body : std::get<Capec>(record->details).body;
  if (!nlohmann::json::accept(body)) std::abort();
  for (const auto& link : record->links) {
    if (link.relation.empty() || link.target.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  archive::MemorySource source(std::string(reinterpret_cast<const char*>(data), size));
  XmlElements elements(source, {.records = {"Weakness", "Attack_Pattern", "Category", "View"}, .largest = 1UL << 16});
  for (;;) {
    const auto record = elements.next();
    if (!record || !*record) return 0;
    check(read_cwe((*record)->node), "cwe");
    check(read_capec((*record)->node), "capec");
  }
}
