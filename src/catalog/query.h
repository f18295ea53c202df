// Internal to catalog/: what its tables' queries share beyond store/query.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "catalog/types.h"
#include "store/query.h"

namespace slipway::catalog {

using store::change;
using store::count;
using store::optional_time;
using store::read_count;
using store::read_text;
using store::RowReader;
using store::select;
using store::select_one;

[[nodiscard]] inline std::uint64_t unsigned_of(const store::Statement& row, int column) {
  return static_cast<std::uint64_t>(row.int64(column));
}

[[nodiscard]] inline DeviceId device_of(const store::Statement& row, int column) {
  return {static_cast<std::uint32_t>(row.int64(column))};
}

// SQLite's integers have a sign.
[[nodiscard]] inline Result<std::int64_t> storable(std::string_view what, std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return static_cast<std::int64_t>(value);
  }
  return fail(ErrorKind::kInvalid, "{} of {} is more than can be stored", what, value);
}

// A text of the tables that must be one of few.
template <class Enum>
[[nodiscard]] Result<Enum> known(std::optional<Enum> value, std::string_view what, std::string_view text) {
  if (value) return *value;
  return fail(ErrorKind::kCorrupt, "the catalog has a {} \"{}\", which this program does not know", what, text);
}

[[nodiscard]] Result<> check_checksum(std::string_view checksum);  // 64 lower-case hex digits, else kInvalid
[[nodiscard]] Result<> check_not_empty(std::string_view what, std::string_view text);
[[nodiscard]] Result<> check_device_id(DeviceId id);

}  // namespace slipway::catalog
