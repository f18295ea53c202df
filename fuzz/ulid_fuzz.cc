// Whatever the bytes: Ulid::parse answers, and what it accepts is the same text again, in upper case.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ulid.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  const auto ulid = slipway::Ulid::parse(text);
  if (!ulid) return 0;
  for (auto& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (ulid->to_string() != text || slipway::Ulid::from_bytes(ulid->to_bytes()) != *ulid) std::abort();
  return 0;
}
