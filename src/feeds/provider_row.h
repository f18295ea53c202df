// What is on disk of a provider and of the macro machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "feeds/provider_state.h"

namespace slipway::feeds {

struct Checkpoint {
  std::string urn{};
  TimePoint processed_at{};
  bool success = true;
  std::string error{};
  std::string source_tag{};  // of the source that the position is in
  std::string position{};    // the provider's own way to find the place again
};

struct ProviderRow {
  std::string id{};
  std::string type{};
  ProviderState state = ProviderState::kIdle;
  std::optional<Outcome> outcome{};  // when terminated
  std::optional<Error> error{};      // when failed
  std::int64_t instance = 1;
  std::optional<TimePoint> resume_at{};  // when waiting for a back-off
  std::int64_t generation = 0;
  std::int64_t processed = 0;
  std::int64_t errors = 0;
  std::string source_tag{};  // of what was last loaded whole
  std::optional<TimePoint> completed_at{};
  TimePoint created_at{};
  TimePoint updated_at{};
  std::optional<Checkpoint> checkpoint{};
};

}  // namespace slipway::feeds
