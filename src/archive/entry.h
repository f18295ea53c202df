// One entry of a tar archive as its headers say it, before any rule was applied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::archive {

enum class EntryType : std::uint8_t { kFile, kFolder, kSymlink, kHardLink, kCharDevice, kBlockDevice, kFifo, kSocket };

[[nodiscard]] std::string_view to_string(EntryType type);  // "file", "folder", "symbolic link", ...

// A piece of a sparse file that holds data; what lies between pieces reads as zeros.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  friend bool operator==(const Extent&, const Extent&) = default;
};

struct Entry {
  std::string path{};  // bytes as they stand in the archive: any encoding, "./" and ".." and all
  EntryType type = EntryType::kFile;
  std::uint16_t mode = 0;  // permission bits with setuid, setgid and sticky
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;  // logical: of a sparse file with its holes
  std::int64_t mtime = 0;  // seconds since 1970
  std::uint32_t mtime_ns = 0;
  std::string link{};  // of symbolic and hard links
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::vector<std::pair<std::string, std::string>> xattrs{};  // name and bytes
  std::vector<Extent> sparse{};                               // empty: not sparse
};

// For people, logs and JSON: bytes that are no printable ASCII as \xNN; what is longer than 200 bytes loses its middle.
[[nodiscard]] std::string printable(std::string_view bytes);

}  // namespace slipway::archive
