// Java's archives (jar, war, ear, par, hpi) and those within them. Each is read once, in order; what is unpacked for
// that is counted over the whole file, and what is too deep, damaged or not taken inside is noted while the rest goes
// on.
#pragma once

#include <cstdint>

#include "archive/byte_source.h"
#include "base/error.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

inline constexpr int kDeepestJar = 8;                           // a jar in a jar is at 2
inline constexpr std::uint64_t kMostManifestBytes = 256 << 10;  // the main section comes first, and is far smaller

// Of a file with all the jars in it. kRejected when it has more; what was found until then stays.
struct JarLimits {
  std::uint64_t bytes = 2ULL << 30;  // unpacked
  std::uint64_t entries = 1'000'000;
};

[[nodiscard]] bool wants_jar(const FileInfo& file);
[[nodiscard]] Result<> read_jar(const FileInfo& file, archive::ByteSource& content, Finds& finds);
[[nodiscard]] Result<> read_jar(const FileInfo& file, archive::ByteSource& content, Finds& finds,
                                const JarLimits& limits);

}  // namespace slipway::scan
