// How packages are found: a table of readers, each of which knows some files by their names and reads packages out of
// them. Readers trust nothing that they read, keep no state between files, and need no more memory than their file's
// limit. They run in a process that can open nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "archive/byte_source.h"
#include "base/error.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

struct FileReader {
  std::string_view name;  // "dpkg"
  // From the path, size and mode alone. It is asked of every file of the image: it must be fast.
  bool (*wants)(const FileInfo&);
  // An error means that the file could not be read, or not to its end; what was added before stays. kCorrupt: it is not
  // what it should be. kRejected: it is larger than it may be. kUnsupported: of a form that is known and not taken.
  Result<> (*read)(const FileInfo&, archive::ByteSource& content, Finds& finds);
};

// A file wanted by several is read by the first.
[[nodiscard]] std::span<const FileReader> distribution_readers();  // os-release, dpkg, apk, rpm
[[nodiscard]] std::span<const FileReader> language_readers();      // manifests and lock files
[[nodiscard]] std::span<const FileReader> binary_readers();        // jars, programs with their modules' names inside

// The whole content. kRejected when it has more than `most` bytes. With the size that is expected, if it is what comes,
// no more memory is taken than for that.
[[nodiscard]] Result<std::string> read_whole(archive::ByteSource& content, std::uint64_t most,
                                             std::uint64_t expected = 0);

}  // namespace slipway::scan
