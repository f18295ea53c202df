// An inventory, judged by what the feeds know and by the rules of who asks: all that a scan has to say.
//
//   auto scanner = Scanner::open(*feed_reader);
//   auto report = scanner->judge({.name = "debian-12", .inventory = inventory}, rules, clock.now());
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "feeds/query/feed_reader.h"
#include "scan/finding.h"
#include "scan/matching/matcher.h"
#include "scan/policy/suppress.h"

namespace slipway::scan {

// What becomes of a scan whose advisories are missing, or older than they may be. Neither is ever a clean bill.
enum class StaleData : std::uint8_t {
  kWarn,    // the report says so
  kRefuse,  // there is no report
};

struct DataRules {
  Duration max_age = std::chrono::hours(24 * 7);
  StaleData stale = StaleData::kWarn;
};

struct Artifact {
  std::string name{};
  std::string type = "container_image";
  std::string checksum{};  // SHA-256 in hex
  std::uint64_t size = 0;
  Inventory inventory{};
};

// When each feed was last read to its end; only those that ever were.
using DataDates = std::map<std::string, TimePoint>;

// All of it is of one instant of the feeds; it remembers what it has asked for, so many artifacts are judged by one.
// One thread; it must not outlive the reader.
class Scanner {
 public:
  [[nodiscard]] static Result<Scanner> open(feeds::FeedReader& feeds, std::string version, Detail detail = Detail::kAll,
                                            std::stop_token stop = {});

  // kCancelled by the stop. kUnavailable: no feed has anything about any package of it, or (kRefuse) what there is is
  // too old.
  [[nodiscard]] Result<Report> judge(Artifact artifact, const Rules& rules, const DataRules& data, TimePoint now);

  [[nodiscard]] const DataDates& dates() const { return dates_; }

 private:
  Scanner(std::unique_ptr<feeds::AdvisoryReader> advisories, DataDates dates, std::string version, Detail detail,
          std::stop_token stop);

  std::unique_ptr<feeds::AdvisoryReader> advisories_;  // the matcher refers to it
  Matcher matcher_;
  DataDates dates_;
  std::string version_;
};

// The parts that every engine's judgement is made of.

// With the inventory, what of it could not be read, and nothing judged yet.
[[nodiscard]] Report report_of(Artifact artifact, TimePoint now);
// A warning where data is missing or too old, or (kRefuse) kUnavailable.
[[nodiscard]] Result<> judge_age(const std::string& source, std::optional<TimePoint> loaded_at, const DataRules& rules,
                                 TimePoint now, Report& report);
// What counts, and what does not.
void apply_rules(std::vector<Finding> findings, const Rules& rules, Report& report);

}  // namespace slipway::scan
