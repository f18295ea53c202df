// ULID: 48 bits of milliseconds, 80 random bits, written as 26 characters of Crockford's base 32. Two hosts never
// make the same one, and sorting the bytes, the text or the times gives the same order.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"

namespace slipway {

class Ulid {
 public:
  static constexpr std::size_t kBytes = 16;
  static constexpr std::size_t kTextLength = 26;
  using Bytes = std::array<std::uint8_t, kBytes>;

  constexpr Ulid() = default;  // all zero: names nothing
  constexpr Ulid(std::uint64_t high, std::uint64_t low) : high_(high), low_(low) {}

  // Exactly 26 characters, either case; nothing is guessed (no I, L, O, U).
  [[nodiscard]] static Result<Ulid> parse(std::string_view text);
  [[nodiscard]] static Ulid from_bytes(const Bytes& big_endian);

  [[nodiscard]] Bytes to_bytes() const;
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] TimePoint made_at() const;  // to the millisecond

  [[nodiscard]] constexpr std::uint64_t high() const { return high_; }
  [[nodiscard]] constexpr std::uint64_t low() const { return low_; }
  [[nodiscard]] constexpr bool empty() const { return high_ == 0 && low_ == 0; }

  friend constexpr auto operator<=>(const Ulid&, const Ulid&) = default;

 private:
  std::uint64_t high_ = 0;  // most significant: 48 bits of time, 16 of randomness
  std::uint64_t low_ = 0;
};

// Makes ULIDs that grow strictly, also within one millisecond and when the clock is set back. Thread-safe.
class UlidSource {
 public:
  UlidSource();                                               // seeded by the operating system
  explicit UlidSource(std::uint64_t seed) : random_(seed) {}  // repeatable, for tests

  [[nodiscard]] Ulid next(TimePoint now);

  // What comes next is greater than `seen`: for an id that was read from disk, made under another clock.
  void stay_above(Ulid seen);

 private:
  std::mutex mutex_;
  std::mt19937_64 random_;
  Ulid last_;
};

}  // namespace slipway

template <>
struct std::hash<slipway::Ulid> {
  std::size_t operator()(const slipway::Ulid& id) const noexcept {
    return static_cast<std::size_t>(id.low() ^ (id.high() * 0x9E3779B97F4A7C15ULL));
  }
};

template <>
struct fmt::formatter<slipway::Ulid> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const slipway::Ulid& id, Context& context) const {
    return fmt::formatter<std::string>::format(id.to_string(), context);
  }
};
