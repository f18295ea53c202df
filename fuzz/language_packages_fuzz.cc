// Whatever the bytes: the readers of languages' files answer, and packages that they find have a name, a version and
// texts that can be sent as JSON. The first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include "archive/byte_source.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/language_text.h"

namespace {

using namespace slipway::scan;

class Bytes : public slipway::archive::ByteSource {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  slipway::Result<std::span<const std::byte>> next() override {
    return std::as_bytes(std::span(std::exchange(bytes_, {})));
  }

 private:
  std::string_view bytes_;
};

void check(const Inventory& found) {
  for (const auto& one : found.packages) {
    if (one.name.empty() || one.version.empty()) std::abort();
    if (!slipway::is_utf8(one.name) || !slipway::is_utf8(one.version) || !slipway::is_utf8(one.licence)) std::abort();
  }
  for (const auto& one : found.unread) {
    if (one.reason.empty() || !slipway::is_utf8(one.reason)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto readers = language_readers();
  const FileReader& reader = readers[data[0] % readers.size()];
  Bytes bytes({reinterpret_cast<const char*>(data) + 1, size - 1});
  const FileInfo file{.path = "app/node_modules/x/package.json", .size = size - 1};
  Finds finds;
  finds.enter(file.path, 0);
  const auto read = reader.read(file, bytes, finds);
  if (!read && (read.error().message().empty() || !slipway::is_utf8(read.error().message()))) std::abort();
  check(finds.take());
  return 0;
}
