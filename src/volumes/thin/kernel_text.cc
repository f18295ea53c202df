#include "volumes/thin/kernel_text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "volumes/thin/device_mapper.h"

namespace slipway::volumes {
namespace {

constexpr std::uint64_t kMostSectors = 1ULL << 53U;  // 2^62 bytes: none is larger

constexpr std::uint64_t kMetadataBlock = 4096;  // bytes
constexpr std::string_view kOurs = "SLIPWAY-";
constexpr std::string_view kOf = "-of-";

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n";
  std::vector<std::string_view> words;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(kSpace, at);
    if (at == std::string_view::npos) return words;
    const auto end = std::min(text.find_first_of(kSpace, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<DeviceId> id_of(std::string_view text) {
  const auto value = number(text);
  if (!value || *value > DeviceId::kGreatest) return std::nullopt;
  return DeviceId{static_cast<std::uint32_t>(*value)};
}

// "used/total", both in units of `unit` bytes.
std::optional<Usage> usage(std::string_view text, std::uint64_t unit) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto used = number(text.substr(0, slash));
  const auto total = number(text.substr(slash + 1));
  const auto most = std::numeric_limits<std::uint64_t>::max() / std::max<std::uint64_t>(unit, 1);
  if (!used || !total || *used > most || *total > most) return std::nullopt;
  return Usage{*used * unit, *total * unit};
}

std::optional<ThinPoolState::Mode> mode_of(std::string_view word) {
  using enum ThinPoolState::Mode;
  if (word == "rw") return kWrite;
  if (word == "ro") return kReadOnly;
  if (word == "out_of_data_space") return kOutOfDataSpace;
  return std::nullopt;
}

}  // namespace

std::optional<ThinPoolState> parse_pool_status(std::string_view text, std::uint64_t block_bytes) {
  const auto words = words_of(text);
  if (words.size() == 1 && (words[0] == "Fail" || words[0] == "Error")) return ThinPoolState{};
  constexpr std::size_t kNeeded = 5;
  if (words.size() < kNeeded) return std::nullopt;
  const auto transaction = number(words[0]);
  const auto metadata = usage(words[1], kMetadataBlock);
  const auto data = usage(words[2], block_bytes);
  const auto mode = mode_of(words[4]);
  if (!transaction || !metadata || !data || !mode) return std::nullopt;
  return ThinPoolState{.mode = *mode,
                       .needs_check = std::ranges::find(words, "needs_check") != words.end(),
                       .metadata_held = words[3] != "-",
                       .transaction_id = *transaction,
                       .metadata = *metadata,
                       .data = *data};
}

std::vector<std::string> problems_of(const ThinPoolState& state) {
  using enum ThinPoolState::Mode;
  std::vector<std::string> problems;
  if (state.mode == kFailed) problems.emplace_back("its metadata cannot be read or written: every request to it fails");
  if (state.mode == kOutOfDataSpace) {
    problems.emplace_back("its data space is full: writes fail until it is grown (slipway pool grow)");
  }
  if (state.mode == kReadOnly && !state.needs_check) {
    problems.emplace_back("it is read-only, as its metadata space is full: grow it (slipway pool grow)");
  }
  if (state.needs_check) {
    problems.emplace_back(
        "its metadata must be checked before it can be written: take its snapshots down, stop it (dmsetup remove), run "
        "thin_check --clear-needs-check-flag on its metadata (thin_repair if that finds faults), start it (slipway "
        "doctor --fix)");
  }
  return problems;
}

std::optional<ThinPoolTable> parse_pool_table(std::string_view text) {
  const auto words = words_of(text);
  if (words.size() < 3) return std::nullopt;
  const auto sectors = number(words[2]);
  if (!sectors || *sectors == 0 || *sectors > std::numeric_limits<std::uint64_t>::max() / dm::kSector) {
    return std::nullopt;
  }
  return ThinPoolTable{.metadata = std::string(words[0]),
                       .data = std::string(words[1]),
                       .block_bytes = *sectors * dm::kSector,
                       .zeroes = std::ranges::find(words, "skip_block_zeroing") == words.end()};
}

std::optional<ThinTable> parse_thin_table(std::string_view text) {
  const auto words = words_of(text);
  if (words.size() < 2) return std::nullopt;
  const auto id = id_of(words[1]);
  if (!id) return std::nullopt;
  return ThinTable{std::string(words[0]), *id};
}

std::optional<std::uint64_t> parse_thin_status(std::string_view text) {
  const auto words = words_of(text);
  if (words.size() < 2) return std::nullopt;
  if (words[1] == "-") return 0;
  const auto highest = number(words[1]);
  if (!highest || *highest >= kMostSectors) return std::nullopt;
  return *highest + 1;
}

std::optional<std::vector<DeviceId>> parse_id_list(std::string_view text) {
  std::vector<DeviceId> ids;
  for (const auto word : words_of(text)) {
    const auto id = id_of(word);
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  std::ranges::sort(ids);
  return ids;
}

std::string to_string(const ThinUuid& uuid) {
  const auto plain = fmt::format("{}{}-{}", kOurs, uuid.pool, uuid.id);
  return uuid.origin ? fmt::format("{}{}{}", plain, kOf, *uuid.origin) : plain;
}

std::optional<ThinUuid> parse_thin_uuid(std::string_view text) {
  if (!text.starts_with(kOurs)) return std::nullopt;
  auto rest = text.substr(kOurs.size());
  ThinUuid uuid;
  if (const auto of = rest.rfind(kOf); of != std::string_view::npos) {
    const auto before = rest.substr(0, of);
    const auto dash = before.rfind('-');
    // A pool's own name may have "-of-" in it.
    if (dash != std::string_view::npos && id_of(before.substr(dash + 1))) {
      uuid.origin = id_of(rest.substr(of + kOf.size()));
      if (uuid.origin) rest = before;
    }
  }
  const auto dash = rest.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const auto id = id_of(rest.substr(dash + 1));
  if (!id) return std::nullopt;
  uuid.id = *id;
  uuid.pool = rest.substr(0, dash);
  return uuid;
}

}  // namespace slipway::volumes
