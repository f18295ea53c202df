// Whatever the bytes, and in whatever pieces they come: the readers of jars and programs find the same, and it can be
// written as JSON. What zlib says of damage may differ. The first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "archive/byte_source.h"
#include "base/json.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/jar_reader.h"
#include "scan/inventory/program_reader.h"

namespace {

using namespace slipway;
using namespace slipway::scan;

class Pieces : public archive::ByteSource {
 public:
  Pieces(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  Result<std::span<const std::byte>> next() override {
    const auto now = bytes_.substr(0, piece_);
    bytes_.remove_prefix(now.size());
    return std::as_bytes(std::span(now));
  }

 private:
  std::string_view bytes_;
  std::size_t piece_;
};

std::string found(bool jar, std::string_view bytes, std::size_t piece) {
  const FileInfo file{.path = "app/x-1.0.jar", .size = bytes.size(), .executable = true};
  Pieces source(bytes, piece);
  Finds finds;
  finds.enter(file.path, 0);
  // Small limits: a fuzzer finds bombs at once.
  const auto read =
      jar ? read_jar(file, source, finds, {.bytes = 1U << 20, .entries = 1000}) : read_program(file, source, finds);
  const Inventory inventory = finds.take();
  Json packages = Json::array();
  for (const auto& package : inventory.packages) {
    if (package.name.empty() || package.version.empty() || package.path.empty()) std::abort();
    packages.push_back({package.name, package.version, package.path, package.licence});
  }
  for (const auto& unread : inventory.unread) {
    if (!write_json({unread.path, unread.reason})) std::abort();
  }
  const Json all{read ? "read" : to_string(read.error().kind()), packages, inventory.unread.size()};
  auto text = write_json(all);
  if (!text) std::abort();
  return std::move(*text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool jar = data[0] % 2 == 0;
  if (found(jar, bytes, bytes.size() + 1) != found(jar, bytes, 7)) std::abort();
  return 0;
}
