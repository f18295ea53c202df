// Numbers out of bytes, of either byte order.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace slipway::scan {

enum class ByteOrder : std::uint8_t { kLittle, kBig };

// The bytes must be there.
template <std::unsigned_integral Number>
[[nodiscard]] Number read_number(std::string_view bytes, std::size_t at, ByteOrder order) {
  Number number = 0;
  for (std::size_t n = 0; n < sizeof(Number); ++n) {
    const auto byte = static_cast<unsigned char>(bytes[at + (order == ByteOrder::kBig ? n : sizeof(Number) - 1 - n)]);
    number = static_cast<Number>((number << 8U) | byte);
  }
  return number;
}

}  // namespace slipway::scan
