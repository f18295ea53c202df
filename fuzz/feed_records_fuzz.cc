// Whatever the bytes: the readers of JSON and YAML records answer, and a record that they give has a name and a body
// that is JSON. The first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <variant>

#include "archive/byte_source.h"
#include "base/json.h"
#include "feeds/providers/advisory_providers.h"
#include "feeds/providers/attack_provider.h"
#include "feeds/providers/cve_provider.h"

namespace {

using namespace slipway::feeds;

class Bytes : public slipway::archive::ByteSource {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  slipway::Result<std::span<const std::byte>> next() override {
    return std::as_bytes(std::span(std::exchange(bytes_, {})));
  }

 private:
  std::string_view bytes_;
};

void check(const Record& record) {
  if (record.urn.id().empty()) std::abort();
  const auto& body = std::visit([](const auto& details) -> const std::string& { return details.body; }, record.details);
  if (!slipway::parse_json(body)) std::abort();
}

void read_all(Items& items) {
  for (;;) {
    const auto more = items.advance();
    if (!more || !*more) return;
    if (items.name().empty()) std::abort();
    const auto records = items.records();
    if (!records) continue;
    for (const auto& record : *records) check(record);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Bytes bytes(text);
  switch (data[0] % 7) {
    case 0: read_all(*cve_items("x.json", bytes)); break;
    case 1: read_all(*osv_items("x.json", bytes)); break;
    case 2: read_all(*osv_items("x.yaml", bytes)); break;
    case 3: read_all(*debian_items("x.json", bytes)); break;
    case 4: read_all(*alpine_items("x.json", bytes)); break;
    case 5: read_all(*alpine_items("x.yaml", bytes)); break;
    default: {
      StixOutline outline(attack_names());
      if (!outline.read(bytes)) break;
      Bytes again(text);
      read_all(*stix_items("x.json", again, outline, read_attack_object));
    }
  }
  return 0;
}
