// Whatever the bytes: parse_json answers, and what it accepts it writes back to the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = slipway::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto written = slipway::write_json(*value);
  if (!written) return 0;  // a string in it is not UTF-8
  const auto again = slipway::parse_json(*written);
  if (!again || *again != *value) std::abort();
  return 0;
}
