#include "volumes/pool.h"

#include <algorithm>
#include <string_view>

namespace slipway::volumes {

Result<> check_device_name(const std::string& name) {
  constexpr std::size_t kLongest = 127;  // of the device mapper
  constexpr std::string_view kMarks = "+-.:=@_";
  const bool good = std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
  if (good && !name.empty() && name.size() <= kLongest && name.front() != '.') return {};
  return fail(ErrorKind::kInvalid,
              "a device's name has 1 to {} letters, digits and {}, and does not begin with a dot: \"{}\" is none",
              kLongest, kMarks, name);
}

}  // namespace slipway::volumes
