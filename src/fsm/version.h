// Names of things that ran. A RunVersion names one run, everywhere and for ever; a TransitionVersion names one arrival
// at one of its transitions, and stays the same over retries and restarts: hand it to an outside service as an
// idempotency key.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/ulid.h"

namespace slipway::fsm {

class RunVersion {
 public:
  RunVersion() = default;  // names no run
  explicit RunVersion(Ulid ulid) : ulid_(ulid) {}

  [[nodiscard]] static Result<RunVersion> parse(std::string_view text) {
    auto ulid = Ulid::parse(text);
    if (!ulid) return ulid.error().during("run version");
    return RunVersion(*ulid);
  }

  [[nodiscard]] const Ulid& ulid() const { return ulid_; }
  [[nodiscard]] std::string to_string() const { return ulid_.to_string(); }

  friend auto operator<=>(const RunVersion&, const RunVersion&) = default;

 private:
  Ulid ulid_;
};

struct TransitionVersion {
  RunVersion run;
  std::uint32_t arrival = 0;  // how many transitions the run had completed before

  [[nodiscard]] std::string to_string() const { return run.to_string() + "." + std::to_string(arrival); }
  friend auto operator<=>(const TransitionVersion&, const TransitionVersion&) = default;
};

}  // namespace slipway::fsm

template <>
struct std::hash<slipway::fsm::RunVersion> {
  std::size_t operator()(const slipway::fsm::RunVersion& v) const noexcept {
    return std::hash<slipway::Ulid>{}(v.ulid());
  }
};

template <>
struct fmt::formatter<slipway::fsm::RunVersion> : fmt::formatter<slipway::Ulid> {
  template <class Context>
  auto format(const slipway::fsm::RunVersion& v, Context& context) const {
    return fmt::formatter<slipway::Ulid>::format(v.ulid(), context);
  }
};
