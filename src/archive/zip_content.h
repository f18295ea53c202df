// Inside src/archive only: the content of a zip's entry.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "archive/byte_source.h"
#include "archive/cursor.h"

namespace slipway::archive {

class ZipAllowance;

// A number of the zip's: the lowest byte first. There must be enough bytes.
template <std::unsigned_integral Number>
[[nodiscard]] Number little(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;) number = number << 8U | std::to_integer<std::uint64_t>(bytes[at + i]);
  return static_cast<Number>(number);
}

// One entry after the other, from where the cursor stands.
class ZipContent : public ByteSource {
 public:
  struct Form {
    std::uint16_t method = 0;
    std::uint32_t crc = 0;                  // when there is no descriptor
    std::optional<std::uint64_t> packed{};  // bytes in the zip
    std::optional<std::uint64_t> size{};    // unpacked
    bool descriptor = false;                // behind the content stand its digest and its lengths
  };

  ZipContent(Cursor& cursor, ZipAllowance& allowance);
  ~ZipContent() override;

  // The cursor stands behind the entry's header.
  [[nodiscard]] Result<> open(const Form& form);
  // To behind the entry and its descriptor.
  [[nodiscard]] Result<> pass();

  [[nodiscard]] Result<std::span<const std::byte>> next() override;

 private:
  struct Inflater;
  [[nodiscard]] Result<std::span<const std::byte>> next_stored();
  [[nodiscard]] Result<std::span<const std::byte>> next_inflated();
  [[nodiscard]] Result<std::span<const std::byte>> packed_bytes();
  [[nodiscard]] Result<std::span<const std::byte>> given(std::span<const std::byte> bytes);
  [[nodiscard]] Result<> check_end();
  [[nodiscard]] Result<> pass_descriptor();
  // How long the descriptor is that begins so, by what is known of the content; 0 when it is none.
  [[nodiscard]] std::size_t descriptor_length(std::span<const std::byte> bytes) const;

  Cursor& cursor_;
  ZipAllowance& allowance_;
  std::unique_ptr<Inflater> inflater_;
  Form form_{};
  bool inside_ = false;
  bool inflated_ = false;    // deflate's end was met
  bool ended_ = true;        // all of the content was given
  std::uint64_t used_ = 0;   // bytes of the zip
  std::uint64_t given_ = 0;  // bytes unpacked
  std::uint32_t crc_ = 0;    // of these
};

}  // namespace slipway::archive
