// Whatever the bytes: the readers of distributions' package databases answer, and what they find has a name and a
// version that can be shown. The first byte chooses the file.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "archive/byte_source.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/rpm_header.h"

namespace {

using namespace slipway::scan;

constexpr std::array<std::string_view, 8> kFiles{
    "etc/os-release",       "var/lib/dpkg/status",      "var/lib/dpkg/status.d/x", "var/lib/dpkg/info/x.list",
    "lib/apk/db/installed", "var/lib/rpm/rpmdb.sqlite", "var/lib/rpm/Packages.db", "var/lib/rpm/Packages"};

// In pieces, so that what spans two of them is met.
class Bytes : public slipway::archive::ByteSource {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  slipway::Result<std::span<const std::byte>> next() override {
    constexpr std::size_t kPiece = 61;
    const auto piece = bytes_.substr(0, kPiece);
    bytes_.remove_prefix(piece.size());
    return std::as_bytes(std::span(piece));
  }

 private:
  std::string_view bytes_;
};

bool can_be_shown(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

void check(const Inventory& found) {
  for (const Package& package : found.packages) {
    if (package.name.empty() || package.version.empty()) std::abort();
    for (const std::string_view text : {package.name, package.version, package.source, package.source_version,
                                        package.architecture, package.licence, package.path}) {
      if (!can_be_shown(text)) std::abort();
    }
  }
  for (const Unread& unread : found.unread) {
    if (!can_be_shown(unread.reason)) std::abort();
  }
  if (found.distribution && (found.distribution->id.empty() || !can_be_shown(found.distribution->id))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Finds finds;
  const std::size_t choice = data[0] % (kFiles.size() + 1);
  finds.enter(choice < kFiles.size() ? kFiles[choice] : "header", 0);
  if (choice == kFiles.size()) {
    add_rpm_package(bytes, finds);
  } else {
    const FileInfo file{.path = kFiles[choice], .size = bytes.size()};
    const auto readers = distribution_readers();
    const auto reader = std::ranges::find_if(readers, [&](const FileReader& one) { return one.wants(file); });
    if (reader == readers.end()) std::abort();
    Bytes source(bytes);
    static_cast<void>(reader->read(file, source, finds));
  }
  check(finds.take());
  return 0;
}
