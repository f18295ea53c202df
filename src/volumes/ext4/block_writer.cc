#include "volumes/ext4/block_writer.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace slipway::volumes::ext4 {
namespace {

constexpr std::size_t kBuffer = 1UL << 20;
constexpr std::uint64_t kWriteOut = 8UL << 20;

}  // namespace

BlockWriter::BlockWriter(Device& device) : device_(device), buffer_(kBuffer) {}

// Afterwards the buffer ends at `offset` and has room. Its end on the device is a multiple of its size.
Result<> BlockWriter::make_room(std::uint64_t offset) {
  const std::size_t room = kBuffer - static_cast<std::size_t>(start_ % kBuffer);
  if (filled_ > 0 && offset == start_ + filled_ && filled_ < room) return {};
  if (auto flushed = flush(); !flushed) return flushed;
  start_ = offset;
  return {};
}

Result<> BlockWriter::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (auto made = make_room(offset); !made) return made;
    const std::size_t room = kBuffer - static_cast<std::size_t>(start_ % kBuffer) - filled_;
    const std::size_t piece = std::min(bytes.size(), room);
    std::memcpy(buffer_.data() + filled_, bytes.data(), piece);
    filled_ += piece;
    offset += piece;
    bytes = bytes.subspan(piece);
  }
  return {};
}

Result<> BlockWriter::zeros(std::uint64_t offset, std::uint64_t length) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  while (length > 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(length, kZeros.size());
    if (auto put = write(offset, std::span(kZeros).first(piece)); !put) return put;
    offset += piece;
    length -= piece;
  }
  return {};
}

Result<> BlockWriter::flush() {
  if (filled_ == 0) return {};
  if (auto put = device_.write(start_, std::span(buffer_).first(filled_)); !put) return put;
  if (start_ != out_to_) out_from_ = start_;
  out_to_ = start_ + filled_;
  filled_ = 0;
  if (out_to_ - out_from_ < kWriteOut) return {};
  device_.begin_writing_out(out_from_, out_to_ - out_from_);
  out_from_ = out_to_;
  return {};
}

}  // namespace slipway::volumes::ext4
