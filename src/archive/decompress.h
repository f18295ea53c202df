// Unpacks a compressed stream: gzip, zstd, xz or bzip2, one of them, once. What is packed twice is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"

namespace slipway::archive {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd, kXz, kBzip2 };

[[nodiscard]] std::string_view to_string(Compression compression);

// What the first bytes of a stream say (512 are enough): a tar header, or the mark of a compression. kNone: neither of
// those known, which then is no compression of ours.
[[nodiscard]] Compression detect_compression(std::span<const std::byte> head);
// A tar header with the mark that all but the oldest kind have.
[[nodiscard]] bool is_tar(std::span<const std::byte> head);

// The bytes of `from` unpacked, however many: who reads them counts them (UnpackMeter). kCorrupt: the stream is
// damaged, ends early, or is followed by something else than zeros. `from` must outlive it.
class DecompressSource : public ByteSource {
 public:
  DecompressSource(ByteSource& from, Compression compression);
  ~DecompressSource() override;

  [[nodiscard]] Result<std::span<const std::byte>> next() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Gives back the head that was read to detect the compression, then goes on with the rest. `from` must outlive it.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(ByteSource& from) : from_(from) {}

  // The first bytes, 512 when the source has so many. Before the first next().
  [[nodiscard]] Result<std::span<const std::byte>> head();
  [[nodiscard]] Result<std::span<const std::byte>> next() override;
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t count) override;

 private:
  ByteSource& from_;
  std::vector<std::byte> head_;
  bool pending_ = false;
};

}  // namespace slipway::archive
