// The progress of feeds, one line a provider.
#pragma once

#include <map>
#include <string>

#include "cli/progress_display.h"
#include "service/feeds_wire.h"
#include "sys/clock.h"

namespace slipway::cli {

// Told of statistics again and again, by one thread. Shows those that do something meanwhile.
class FeedsProgress {
 public:
  FeedsProgress(ProgressDisplay& display, sys::Clock& clock) : display_(display), clock_(clock) {}

  void show(const service::FeedsStats& stats);

 private:
  struct Seen {
    std::int64_t instance = 0;
    std::int64_t processed = 0;
    TimePoint sampled{};
    double rate = 0;  // items a second
    bool shown = false;
    bool ended = false;
  };

  void show_one(const feeds::ProviderStats& stats, Seen& seen, bool first);
  [[nodiscard]] std::string detail(const feeds::ProviderRow& row, Seen& seen) const;

  ProgressDisplay& display_;
  sys::Clock& clock_;
  std::map<std::string, Seen> seen_;
};

}  // namespace slipway::cli
