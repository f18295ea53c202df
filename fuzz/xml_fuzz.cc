// Whatever the bytes: XmlElements answers, the same for single bytes as for all at once, and keeps within its limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "archive/testing/memory_source.h"
#include "feeds/formats/xml_elements.h"

namespace {

using namespace slipway;
using namespace slipway::feeds;

const XmlElements::Options kOptions{
    .records = {"r", "Rule"}, .containers = {"c", "Group"}, .largest = 4096, .deepest = 12};

struct Seen {
  std::vector<XmlRecord> records;
  std::string error;
};

Seen read(const std::string& bytes, std::size_t piece) {
  archive::MemorySource source(bytes, piece);
  XmlElements elements(source, kOptions);
  Seen seen;
  for (;;) {
    auto record = elements.next();
    if (!record) seen.error = record.error().message();
    if (!record || !*record) return seen;
    seen.records.push_back(std::move(**record));
  }
}

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Children stand in order within the text; in a container's tree nothing is left that was to be cut out.
void check(const XmlNode& node, std::size_t depth, bool in_record) {
  if (depth > kOptions.deepest || node.name.empty()) std::abort();
  std::size_t at = 0;
  for (const XmlNode& child : node.children) {
    if (child.place < at || child.place > node.text.size()) std::abort();
    at = child.place;
    const bool cut = is_one_of(kOptions.records, child.name) || is_one_of(kOptions.containers, child.name);
    if (cut && !in_record) std::abort();
    check(child, depth + 1, in_record);
  }
}

bool same(const XmlRecord& a, const XmlRecord& b) {
  const auto equal = [](const auto& x, const auto& y) { return x->name == y->name && x->attributes == y->attributes; };
  return a.node == b.node && a.line == b.line && std::ranges::equal(a.within, b.within, equal);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const Seen whole = read(bytes, archive::MemorySource::kWhole);
  const Seen single = read(bytes, 1);
  if (whole.error != single.error || !std::ranges::equal(whole.records, single.records, same)) std::abort();
  for (const XmlRecord& record : whole.records) {
    const bool is_record = is_one_of(kOptions.records, record.node.name);
    if (!is_record && !is_one_of(kOptions.containers, record.node.name)) std::abort();
    check(record.node, record.within.size() + 1, is_record);
    if (record.node.all_text().size() > 3 * kOptions.largest) std::abort();
  }
  return 0;
}
