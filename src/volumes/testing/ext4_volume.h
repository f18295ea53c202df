// Volumes that tests fill, and what an independent reader finds on them: libext2fs, opened by path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "archive/policy.h"
#include "archive/testing/tar_builder.h"
#include "sys/descriptor.h"
#include "sys/testing/temp_dir.h"
#include "volumes/ext4/fill.h"

namespace slipway::volumes::ext4 {

struct SeenInode {
  std::uint32_t number = 0;
  std::uint16_t mode = 0;  // with the type
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t links = 0;
  std::uint64_t size = 0;
  std::uint64_t blocks = 0;                                     // of 4 KiB, that it owns
  std::vector<std::pair<std::uint64_t, std::uint64_t>> data{};  // of a file: its blocks that are no holes, from and to
  std::int64_t mtime = 0;
  std::uint32_t mtime_ns = 0;
  std::int64_t ctime = 0;
  std::uint32_t device = 0;                     // major * 2^20 + minor
  bool indexed = false;                         // a folder with dir_index
  std::map<std::string, std::string> xattrs{};  // as programs see them
  std::string content{};                        // of a file up to 64 KiB; the target of a symbolic link
  std::string sha256{};                         // of a file's content, in hex
};

using Seen = std::map<std::string, SeenInode>;  // by path: "rootfs/etc"

// Throws when it cannot be read.
[[nodiscard]] Seen read_volume(const std::string& file);

[[nodiscard]] FillOptions test_options();
// Lets pass what a test wants on a volume: devices, any number of files of any size.
[[nodiscard]] archive::Policy generous_policy();

// A sparse file. It is removed with the object.
class TestVolume {
 public:
  explicit TestVolume(std::uint64_t size = 64ULL << 20);

  // Surveys these bytes, or this file, and fills the volume with them.
  [[nodiscard]] Result<Filled> fill(std::string_view archive, const FillOptions& options = test_options());
  [[nodiscard]] Result<Filled> fill_from(const std::filesystem::path& image);
  [[nodiscard]] Result<Filled> fill(const archive::TarBuilder& tar) { return fill(tar.finish()); }

  [[nodiscard]] Target target() const { return {.fd = fd_.get(), .size = size_, .zeroed = zeroed_}; }
  [[nodiscard]] const std::string& file() const { return file_; }
  // Bytes of no meaning everywhere.
  void litter();

  // What e2fsck -fn complains of; empty: nothing. Nothing is known where there is no e2fsck.
  [[nodiscard]] std::optional<std::string> complaints() const;
  [[nodiscard]] Seen read() const { return read_volume(file_); }
  // Of a volume that is too large to be read as a whole: one inode; the names in one folder.
  [[nodiscard]] SeenInode read_at(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> names_in(const std::string& path) const;

 private:
  [[nodiscard]] Result<Filled> fill_with(const archive::Input& image, const FillOptions& options) const;

  sys::TempDir folder_;
  std::string file_;
  std::uint64_t size_;
  bool zeroed_ = true;
  sys::Descriptor fd_;
};

// So many bytes of no pattern; the same for the same seed.
[[nodiscard]] std::string bytes(std::size_t size, std::uint32_t seed = 1);

}  // namespace slipway::volumes::ext4

// e2fsck finds nothing. Last in a test: it skips the rest where there is no e2fsck.
#define EXPECT_CLEAN(volume)                           \
  if (const auto complaints = (volume).complaints()) { \
    EXPECT_EQ(*complaints, "");                        \
  } else                                               \
    GTEST_SKIP() << "there is no e2fsck to judge the file system with"
