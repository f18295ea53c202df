#include "catalog/query.h"

#include <algorithm>

namespace slipway::catalog {

Result<> check_checksum(std::string_view checksum) {
  const bool hex =
      std::ranges::all_of(checksum, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (hex && checksum.size() == 64) return {};
  return fail(ErrorKind::kInvalid, "\"{}\" is not a SHA-256 in lower-case hex", checksum);
}

Result<> check_not_empty(std::string_view what, std::string_view text) {
  if (!text.empty()) return {};
  return fail(ErrorKind::kInvalid, "the {} is empty", what);
}

Result<> check_device_id(DeviceId id) {
  if (id.value >= 1 && id.value <= DeviceId::kGreatest) return {};
  return fail(ErrorKind::kInvalid, "{} is not a device id: they go from 1 to {}", id, DeviceId::kGreatest);
}

}  // namespace slipway::catalog
