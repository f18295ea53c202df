// Makes an ext4 file system on a volume and fills it with the tree of an image, in one pass and without a mount: the
// kernel never reads what the image's author made, and an ordinary user gets right owners and capabilities.
//
//   auto seen = archive::survey(input, policy);
//   auto filled = fill({.fd = volume, .size = size, .zeroed = true}, input, *seen, options);
//
// The image's root stands at /rootfs of the volume, with its own owner and mode; beside it is lost+found. Kept are
// owners, modes, times with nanoseconds, extended attributes, holes, hard links, names of any bytes. The same archive
// and options give the same bytes on a volume of the same size that reads as zeros.
//
// All of this works inside sys::enter_sandbox() with that volume: it opens nothing, starts no thread, and touches no
// descriptor but the two that it is given. Memory: the tree, 256 bytes for each of its inodes, and a few MiB.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "archive/image.h"
#include "base/error.h"
#include "base/time.h"

namespace slipway::volumes::ext4 {

inline constexpr std::uint64_t kLeastVolume = 8ULL << 20;           // bytes
inline constexpr std::uint64_t kMostVolume = 16ULL << 40;           // bytes
inline constexpr std::string_view kRootFolder = "rootfs";           // of the volume
inline constexpr std::size_t kMostLabel = 16;                       // bytes
inline constexpr std::uint64_t kMostLinks = 65'000;                 // names of one file
inline constexpr std::uint64_t kMostFileSize = 16'000'000'000'000;  // bytes; ext4 ends a little above

using Uuid = std::array<std::uint8_t, 16>;

// A regular file or a block device, open for reading and writing; the descriptor stays the caller's, its position does
// not matter and may change.
struct Target {
  int fd = -1;
  std::uint64_t size = 0;  // bytes; those above the last whole block of 4 KiB stay as they are
  bool zeroed = false;     // reads as zeros everywhere: a new sparse file, a new thin device
};

struct FillOptions {
  std::string label{};
  Uuid uuid{};       // of the file system; all that is random in it follows from this
  TimePoint time{};  // of its making: mtime of what no entry made, and every atime, ctime and crtime
  std::function<void(std::uint64_t written, std::uint64_t most)> progress{};  // bytes of content, without holes
};

// What is below the image's root, which itself is not counted.
struct Counts {
  std::uint64_t files = 0;  // regular files; one with several names is one file
  std::uint64_t bytes = 0;  // of theirs, holes included
  std::uint64_t folders = 0;
  std::uint64_t symlinks = 0;
  std::uint64_t others = 0;  // devices, FIFOs, sockets
  std::uint64_t names = 0;   // of all these

  friend bool operator==(const Counts&, const Counts&) = default;
};

struct Filled {
  Counts counts{};
  std::uint64_t written = 0;          // bytes of the volume
  std::uint64_t xattrs_left_out = 0;  // of namespaces that Linux does not know, or that it would refuse for that file
};

// Does not sync: the caller does, and an error of writing may come only then. On an error the volume holds no usable
// file system. kInvalid: too small for any ext4, too large, or a bad label. kNoSpace: too small for this image, or the
// system has no room beneath it. kCorrupt: the archive is damaged, or not the one that was surveyed. kUnsupported: an
// entry that ext4 cannot hold. kIo: the volume cannot be read or written.
[[nodiscard]] Result<Filled> fill(const Target& target, const archive::Input& input, const archive::Survey& survey,
                                  const FillOptions& options);

}  // namespace slipway::volumes::ext4
