// Keeps verdicts as new as the feeds, for a process that runs for long: judges images again when the feeds have
// changed, has those scanned that never were, and says in the log what that has changed.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "pipeline/rescan.h"
#include "sys/clock.h"

namespace slipway::pipeline {

// Not thread-safe.
class VerdictKeeper {
 public:
  struct Parts {
    catalog::Catalog& catalog;
    sys::Clock& clock;
    std::string feeds{};    // the feeds' database
    std::string version{};  // of this program
    ScanRules rules{};      // by another engine than the built-in one nothing is judged again
    // Starts scans of images that were never listed; how many were started.
    std::function<Result<std::uint64_t>(const std::vector<std::string>& image_ids)> scan_first{};
    Logger log{};
  };
  explicit VerdictKeeper(Parts parts) : parts_(std::move(parts)) {}

  // One look. May be called as often as one likes: what is up to date costs a line of the catalog, and what cannot be
  // scanned is tried, and complained of, once.
  void look(const std::stop_token& stop);

 private:
  void tell(const RescanReport& report);
  void scan_first(std::vector<std::string> image_ids);

  const Parts parts_;
  std::uint64_t without_ = 0;  // images that no advisories were about at the last look
  std::set<std::string> tried_;
};

}  // namespace slipway::pipeline
