// All images judged again by newer advisories. Their inventories are stored, so that nothing of them is read again.
//
// It can be cut off at any time: a verdict says by which data it was made, and those by older data are judged when it
// is called again. What somebody else does to an image meanwhile wins.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/catalog.h"
#include "feeds/query/feed_reader.h"
#include "pipeline/scan_rules.h"

namespace slipway::pipeline {

struct ChangedVerdict {
  std::string image_id{};
  bool was_judged = false;
  bool was_blocked = false;
  bool is_blocked = false;
  std::uint64_t findings_before = 0;
  std::uint64_t findings_now = 0;
  std::string summary{};  // of what is known now
};

struct RescanReport {
  std::uint64_t judged = 0;
  std::uint64_t up_to_date = 0;           // by these data already
  std::uint64_t without = 0;              // not judged: there are no advisories about it
  std::vector<std::string> unlisted{};    // images of which there is no inventory: scan-image takes one
  std::vector<ChangedVerdict> changed{};  // other findings, or another word on whether they block
};

// Verdicts are recorded some at a time. kCancelled by the stop; what was recorded until then counts. An image that is
// allowed stays so while nothing new blocks.
[[nodiscard]] Result<RescanReport> rescan(catalog::Catalog& catalog, feeds::FeedReader& feeds,
                                          const std::string& version, const ScanRules& rules, TimePoint now,
                                          const std::stop_token& stop);

}  // namespace slipway::pipeline
