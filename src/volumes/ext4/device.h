// Inside src/volumes/ext4 only: the volume as bytes, and as libext2fs sees it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <ext2fs/ext2fs.h>

#include "base/error.h"

namespace slipway::volumes::ext4 {

static_assert(std::endian::native == std::endian::little, "structures are stored as they are in memory");

// An error of writing a volume: when what is beneath it is full, with what to do.
[[nodiscard]] Error writing_error(Error error);

// One thread at a time; the descriptor must outlive it.
class Device {
 public:
  Device(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t written() const { return written_; }

  // All of them, or an error: kIo, kNoSpace with what to do about it; kCorrupt beyond the end.
  [[nodiscard]] Result<> read(std::uint64_t offset, std::span<std::byte> bytes) const;
  [[nodiscard]] Result<> write(std::uint64_t offset, std::span<const std::byte> bytes);
  // Reads as zeros from then on: given back to the system where that is possible, written where it is not.
  [[nodiscard]] Result<> zero(std::uint64_t offset, std::uint64_t length);
  // Lets the system begin to write these out, so that a later sync has less to wait for. Changes nothing else.
  void begin_writing_out(std::uint64_t offset, std::uint64_t length) const;

  // The first error beneath libext2fs, which does not tell of all: what it was asked for has not been done.
  [[nodiscard]] Result<> sound() const;
  // libext2fs answers with numbers. What went wrong beneath it stands here; else `kind` and its own text.
  [[nodiscard]] Error error(errcode_t code, ErrorKind kind) const;

 private:
  friend class Opening;
  friend struct Channel;

  int fd_;
  std::uint64_t size_;
  std::uint64_t written_ = 0;
  std::optional<Error> failure_{};  // the first, beneath libext2fs
};

// libext2fs opens by name and through a manager that knows nothing else: while this lives, io_manager's open(), called
// on this thread, opens that device.
class Opening {
 public:
  explicit Opening(Device& device);
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  [[nodiscard]] static io_manager manager();
};

// A file system that is freed, not written, when its owner goes.
class Filesystem {
 public:
  explicit Filesystem(ext2_filsys fs = nullptr) : fs_(fs) {}
  ~Filesystem() {
    if (fs_ != nullptr) ::ext2fs_free(fs_);
  }
  Filesystem(Filesystem&& other) noexcept : fs_(std::exchange(other.fs_, nullptr)) {}
  Filesystem& operator=(Filesystem&&) = delete;

  [[nodiscard]] ext2_filsys get() const { return fs_; }

 private:
  ext2_filsys fs_;
};

}  // namespace slipway::volumes::ext4
