// What the kernel says of thin pools and thin devices, which is text, as values; and the names that we give them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/device_id.h"
#include "volumes/pool.h"

namespace slipway::volumes {

// The status of a "thin-pool" target.
struct ThinPoolState {
  enum class Mode : std::uint8_t { kWrite, kReadOnly, kOutOfDataSpace, kFailed };
  Mode mode = Mode::kFailed;
  bool needs_check = false;
  bool metadata_held = false;  // somebody has a snapshot of the metadata
  std::uint64_t transaction_id = 0;
  Usage metadata{};
  Usage data{};
};
// None: this is no status that we know.
[[nodiscard]] std::optional<ThinPoolState> parse_pool_status(std::string_view text, std::uint64_t block_bytes);
// What is wrong with a pool in this state, in sentences.
[[nodiscard]] std::vector<std::string> problems_of(const ThinPoolState& state);

// The parameters of a "thin-pool" target.
struct ThinPoolTable {
  std::string metadata{};         // "7:1"
  std::string data{};             // "7:0"
  std::uint64_t block_bytes = 0;  // what is shared, copied and freed as one
  bool zeroes = true;             // blocks that were never written read as zeros
};
[[nodiscard]] std::optional<ThinPoolTable> parse_pool_table(std::string_view text);

// The parameters of a "thin" target.
struct ThinTable {
  std::string pool{};  // "253:0"
  DeviceId id{};
};
[[nodiscard]] std::optional<ThinTable> parse_thin_table(std::string_view text);

// The status of a "thin" target: how many sectors it has from its beginning to the last that was written. None: this is
// no status that we know, or it has failed.
[[nodiscard]] std::optional<std::uint64_t> parse_thin_status(std::string_view text);

// What `thin_ls --no-headers -o DEV` prints: ascending. None: something else stands there.
[[nodiscard]] std::optional<std::vector<DeviceId>> parse_id_list(std::string_view text);

// SLIPWAY-POOL-7, or SLIPWAY-POOL-9-of-7 for a snapshot whose origin is known. How a device says whose it is.
struct ThinUuid {
  std::string pool{};
  DeviceId id{};
  std::optional<DeviceId> origin{};
};
[[nodiscard]] std::string to_string(const ThinUuid& uuid);
[[nodiscard]] std::optional<ThinUuid> parse_thin_uuid(std::string_view text);

}  // namespace slipway::volumes
