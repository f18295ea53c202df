// The files in what was fetched, in an order that stays: a file itself; or, where it is an archive (tar, zip), those in
// it; or those of a folder, each of which may be an archive again. Compression (gzip, xz, zstd, bzip2) is undone. What
// a thing is, its bytes say, not its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"

namespace slipway::feeds {

struct FeedFile {
  std::string name{};                    // its path in the source, without a compression's extension
  bool one_of_many = false;              // it is from a folder or an archive
  archive::ByteSource* bytes = nullptr;  // valid until the next call; need not be read
};

// Limits of what is unpacked: a few kilobytes must not become terabytes of work.
struct UnpackLimits {
  std::uint64_t max_bytes = std::uint64_t{64} << 30;
  std::uint64_t max_ratio = 400;  // to the packed size; nothing below a few MiB is measured
};

// One thread.
class FeedFiles {
 public:
  // `path` is a file or a folder; a file is called `name`, or as it is on disk.
  [[nodiscard]] static Result<FeedFiles> open(const std::filesystem::path& path, const std::string& name = {},
                                              UnpackLimits limits = {});
  ~FeedFiles();
  FeedFiles(FeedFiles&&) noexcept;
  FeedFiles& operator=(FeedFiles&&) noexcept;

  // None at the end. kCorrupt: an archive or a compressed stream is damaged or ends early. kRejected: it unpacks to too
  // much. The bytes of a file give such errors, too. The message names the file where there are several.
  [[nodiscard]] Result<std::optional<FeedFile>> next();

 private:
  class Container;
  struct Stored {
    std::filesystem::path path{};
    std::string name{};
    bool one_of_many = false;
  };
  FeedFiles(std::vector<Stored> stored, UnpackLimits limits);

  std::vector<Stored> stored_;
  UnpackLimits limits_;
  std::size_t next_ = 0;
  std::unique_ptr<Container> open_;
};

}  // namespace slipway::feeds
