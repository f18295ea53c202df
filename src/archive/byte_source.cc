#include "archive/byte_source.h"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "sys/system_error.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kBlock = 128UL * 1024;
constexpr std::size_t kAfterSkip = 8UL * 1024;

}  // namespace

Result<std::uint64_t> ByteSource::skip(std::uint64_t /*count*/) { return 0; }

FileSource::FileSource(int fd, std::uint64_t size, Tick tick)
    : fd_(fd), size_(size), tick_(std::move(tick)), buffer_(kBlock), piece_(kBlock) {}

Result<std::span<const std::byte>> FileSource::next() {
  if (tick_) {
    if (auto going = tick_(position_); !going) return fail(std::move(going.error()));
  }
  const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece_, size_ - position_));
  if (wanted == 0) return std::span<const std::byte>{};
  for (;;) {
    const ssize_t got = ::pread(fd_, buffer_.data(), wanted, static_cast<off_t>(position_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(sys::system_error("read", "the archive", errno));
    if (got == 0) return fail(ErrorKind::kIo, "the archive became shorter while it was read");
    position_ += static_cast<std::uint64_t>(got);
    piece_ = std::min(2 * piece_, kBlock);
    return std::span<const std::byte>(buffer_.data(), static_cast<std::size_t>(got));
  }
}

Result<std::uint64_t> FileSource::skip(std::uint64_t count) {
  const std::uint64_t far = std::min(count, size_ - position_);
  position_ += far;
  piece_ = kAfterSkip;
  return far;
}

Result<std::span<const std::byte>> TapSource::next() {
  auto piece = from_.next();
  if (!piece || piece->empty()) return piece;
  if (auto seen = watch_(*piece); !seen) return fail(std::move(seen.error()));
  return piece;
}

}  // namespace slipway::archive
