// Files of distributions' package databases, given to their readers as an image would give them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "archive/testing/memory_source.h"
#include "scan/inventory/file_reader.h"

namespace slipway::scan {

// What the readers have made of one or more files.
struct ReadFiles {
  Finds finds{};
  Result<> last{};  // of the file that was read last

  // As the layer's file `path`, in pieces of `piece` bytes. kNotFound when no reader wants it.
  ReadFiles& add(std::string_view path, std::string bytes, std::size_t piece = archive::MemorySource::kWhole) {
    const FileInfo file{.path = path, .size = bytes.size()};
    archive::MemorySource source(std::move(bytes), piece);
    return add(file, source);
  }
  ReadFiles& add(const FileInfo& file, archive::ByteSource& content) {
    finds.enter(file.path, 0);
    last = fail(ErrorKind::kNotFound, "no reader wants {}", file.path);
    for (const FileReader& reader : distribution_readers()) {
      if (!reader.wants(file)) continue;
      last = reader.read(file, content, finds);
      break;
    }
    return *this;
  }
};

// "name version" of each, separated by commas, in the inventory's order.
[[nodiscard]] inline std::string names_of(const Inventory& inventory) {
  std::string names;
  for (const Package& package : inventory.packages) {
    names += (names.empty() ? "" : ", ") + package.name + ' ' + package.version;
  }
  return names;
}

// The reasons, in the same way.
[[nodiscard]] inline std::string reasons_of(const Inventory& inventory) {
  std::string reasons;
  for (const Unread& unread : inventory.unread) reasons += (reasons.empty() ? "" : ", ") + unread.reason;
  return reasons;
}

[[nodiscard]] inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

#ifdef SLIPWAY_TEST_DATA
// A folder of real files; it need not be there.
[[nodiscard]] inline std::filesystem::path test_data() {
  const char* given = std::getenv("SLIPWAY_DATA");
  return given != nullptr ? given : SLIPWAY_TEST_DATA;
}
#endif

}  // namespace slipway::scan
