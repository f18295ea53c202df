#include "pipeline/rescan.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/scan_verdict.h"
#include "scan/inventory_json.h"
#include "scan/scanner.h"

namespace slipway::pipeline {
namespace {

class Rescan {
 public:
  Rescan(catalog::Catalog& catalog, scan::Scanner& scanner, const ScanRules& rules, scan::Rules judging, TimePoint now)
      : catalog_(catalog),
        scanner_(scanner),
        rules_(rules),
        judging_(std::move(judging)),
        now_(now),
        dates_(dates_json(scanner.dates())),
        policy_(describe(rules, now)) {}

  Result<> image(const catalog::ImageSummary& summary) {
    const auto& image = summary.image;
    if (image.download_status != catalog::DownloadStatus::kCompleted) return {};
    const bool known = summary.scan && summary.scan->checksum == image.checksum;
    if (known && summary.scan->data_dates == dates_ && summary.scan->policy == policy_) {
      ++report_.up_to_date;
      return {};
    }
    auto inventory = inventory_of(image);
    if (!inventory) return fail(std::move(inventory.error()));
    if (!*inventory) {
      report_.unlisted.push_back(image.image_id);
      return {};
    }
    const auto before = known ? summary.scan : std::nullopt;
    return judge_again(image, std::move(**inventory), before);
  }

  // What is judged and not yet recorded.
  Result<> record() {
    if (scans_.empty()) return {};
    const auto recorded = catalog_.record_scans(scans_);
    if (!recorded) return fail(recorded.error());
    for (std::size_t i = 0; i < scans_.size(); ++i) note(scans_[i], before_[i], (*recorded)[i]);
    scans_.clear();
    before_.clear();
    findings_ = 0;
    return {};
  }

  [[nodiscard]] RescanReport take() { return std::move(report_); }

 private:
  Result<> not_judged() {
    ++report_.without;
    return {};
  }

  Result<std::optional<scan::Inventory>> inventory_of(const catalog::Image& image) const {
    auto stored = catalog_.find_inventory(image.image_id);
    if (!stored) return fail(std::move(stored.error()));
    if (!*stored || (*stored)->checksum != image.checksum) return std::nullopt;
    auto inventory = scan::inventory_from_json((*stored)->body);
    if (!inventory) return std::nullopt;  // of another version of this program: the next scan takes it anew
    return std::move(*inventory);
  }

  Result<> judge_again(const catalog::Image& image, scan::Inventory inventory,
                       const std::optional<catalog::ScanVerdict>& before) {
    auto report = scanner_.judge({.name = image.image_id,
                                  .checksum = image.checksum,
                                  .size = image.size_bytes,
                                  .inventory = std::move(inventory)},
                                 judging_, data_rules_of(rules_), now_);
    if (!report && report.error().kind() == ErrorKind::kUnavailable) return not_judged();
    if (!report) return fail(report.error());
    report->policy = policy_;
    scans_.push_back(judge(image.image_id, *report, rules_, scanner_.dates(), before));
    before_.push_back(before);
    findings_ += scans_.back().findings.size();
    return scans_.size() < kMostScans && findings_ < kMostFindings ? Result<>() : record();
  }

  void note(const catalog::Scan& now, const std::optional<catalog::ScanVerdict>& before, catalog::Recorded recorded) {
    if (recorded == catalog::Recorded::kNot) return;
    ++report_.judged;
    if (before && before->blocked == now.verdict.blocked && recorded == catalog::Recorded::kSame) return;
    report_.changed.push_back({.image_id = now.verdict.image_id,
                               .was_judged = before.has_value(),
                               .was_blocked = before && before->blocked,
                               .is_blocked = now.verdict.blocked,
                               .findings_before = before ? before->vuln_count : 0,
                               .findings_now = now.verdict.vuln_count,
                               .summary = summary(now)});
  }

  // A commit takes longer than a judgement.
  static constexpr std::size_t kMostScans = 64;
  static constexpr std::size_t kMostFindings = 20'000;

  catalog::Catalog& catalog_;
  scan::Scanner& scanner_;
  const ScanRules& rules_;
  scan::Rules judging_;
  TimePoint now_;
  std::string dates_;
  std::string policy_;
  std::vector<catalog::Scan> scans_;                         // to be recorded
  std::vector<std::optional<catalog::ScanVerdict>> before_;  // for each of these the verdict over the same content
  std::size_t findings_ = 0;                                 // in these
  RescanReport report_;
};

}  // namespace

Result<RescanReport> rescan(catalog::Catalog& catalog, feeds::FeedReader& feeds, const std::string& version,
                            const ScanRules& rules, TimePoint now, const std::stop_token& stop) {
  auto judging = rules_of(rules);
  if (!judging) return fail(std::move(judging.error()));
  auto scanner = scan::Scanner::open(feeds, version, scan::Detail::kVerdict, stop);
  if (!scanner) return fail(std::move(scanner.error()));
  Rescan work(catalog, *scanner, rules, std::move(*judging), now);
  catalog::Page page;
  for (;;) {
    const auto images = catalog.list_status({}, page);
    if (!images) return fail(images.error());
    if (images->empty()) {
      if (auto recorded = work.record(); !recorded) return fail(std::move(recorded.error()));
      return work.take();
    }
    for (const auto& summary : *images) {
      if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped");
      if (auto done = work.image(summary); !done) return done.error().during("scan {} again", summary.image.image_id);
    }
    page.after = images->back().image.row;
  }
}

}  // namespace slipway::pipeline
