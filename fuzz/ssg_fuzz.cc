// Whatever the bytes: the parts of a benchmark are read or refused, and what is read can be stored.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "archive/testing/memory_source.h"
#include "feeds/providers/ssg_record.h"

namespace {

using namespace slipway;
using namespace slipway::feeds;

void check(const Record& record) {
  const auto& ssg = std::get<Ssg>(record.details);
  if (record.urn.kind() != "ssg" || ssg.category.empty() || !nlohmann::json::accept(ssg.body)) std::abort();
  const bool has_parent = !record.links.empty() && record.links.front().relation == "part-of";
  if (has_parent == (ssg.category == "benchmark")) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& name : control_names(bytes)) {
    if (name.size() < 4 || name.size() > 6) std::abort();
  }
  archive::MemorySource source(bytes);
  auto options = ssg_elements();
  options.largest = 1UL << 16;
  XmlElements elements(source, std::move(options));
  for (;;) {
    const auto record = elements.next();
    if (!record || !*record) return 0;
    const auto records = read_ssg(**record);
    if (!records && records.error().kind() != ErrorKind::kCorrupt) std::abort();
    if (!records) continue;
    for (const auto& one : *records) check(one);
  }
}
