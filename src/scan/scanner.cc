#include "scan/scanner.h"

#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "scan/reports/formats.h"

namespace slipway::scan {
namespace {

constexpr std::string_view kHowToLoad = "`slipway feeds sync` loads the advisories";

std::string in_days(Duration age) {
  const auto hours = std::chrono::duration_cast<std::chrono::hours>(age).count();
  return hours < 48 ? fmt::format("{} hours", hours) : fmt::format("{} days", hours / 24);
}

// One file may have several reasons: it is one that could not be read.
void tell_of_unread(const Inventory& inventory, std::vector<std::string>& warnings) {
  constexpr std::size_t kMost = 20;
  std::set<std::string_view> named;
  std::set<std::string_view> more;
  for (std::size_t i = 0; i < inventory.unread.size(); ++i) {
    const auto& [path, reason] = inventory.unread[i];
    if (i < kMost) {
      warnings.push_back(fmt::format("{} could not be read: {}", path, reason));
      named.insert(path);
    } else if (!named.contains(path)) {
      more.insert(path);
    }
  }
  if (more.empty()) return;
  warnings.push_back(fmt::format("{} more file{} could not be read", more.size(), more.size() == 1 ? "" : "s"));
}

}  // namespace

Scanner::Scanner(std::unique_ptr<feeds::AdvisoryReader> advisories, DataDates dates, std::string version, Detail detail,
                 std::stop_token stop)
    : advisories_(std::move(advisories)),
      matcher_(*advisories_, {.detail = detail, .stop = std::move(stop)}),
      dates_(std::move(dates)),
      version_(std::move(version)) {}

Result<Scanner> Scanner::open(feeds::FeedReader& feeds, std::string version, Detail detail, std::stop_token stop) {
  auto opened = feeds.advisories();
  if (!opened) return fail(std::move(opened.error()));
  auto advisories = std::make_unique<feeds::AdvisoryReader>(std::move(*opened));
  const auto ages = advisories->ages();
  if (!ages) return fail(ages.error());
  DataDates dates;
  for (const auto& [provider, completed] : *ages) {
    if (completed) dates.emplace(provider, *completed);
  }
  return Scanner(std::move(advisories), std::move(dates), std::move(version), detail, std::move(stop));
}

Report report_of(Artifact artifact, TimePoint now) {
  Report report{.artifact = std::move(artifact.name),
                .artifact_type = std::move(artifact.type),
                .checksum = std::move(artifact.checksum),
                .size = artifact.size,
                .scanned_at = now,
                .inventory = std::move(artifact.inventory)};
  tell_of_unread(report.inventory, report.warnings);
  return report;
}

Result<> judge_age(const std::string& source, std::optional<TimePoint> loaded_at, const DataRules& rules, TimePoint now,
                   Report& report) {
  std::string trouble;
  if (!loaded_at) {
    trouble = fmt::format("{} was never loaded to its end, or nobody knows when", source);
  } else if (now - *loaded_at > rules.max_age) {
    trouble = fmt::format("the data of {} is {} old; it should be at most {}", source, in_days(now - *loaded_at),
                          in_days(rules.max_age));
  }
  if (trouble.empty()) return {};
  if (rules.stale == StaleData::kRefuse) {
    return fail(Error(ErrorKind::kUnavailable, std::move(trouble)).with_hint(std::string(kHowToLoad)));
  }
  report.warnings.push_back(std::move(trouble));
  return {};
}

void apply_rules(std::vector<Finding> findings, const Rules& rules, Report& report) {
  const ArtifactNames names{.names = {report.artifact}, .digests = {report.checksum}};
  auto judged = apply(
      std::move(findings), rules, names,
      [&](const Package& package) { return package_url(package, report.inventory.distribution); }, report.scanned_at);
  report.findings = std::move(judged.findings);
  report.suppressed = std::move(judged.suppressed);
  report.of_other_severity = judged.of_other_severity;
  report.unfixed = judged.unfixed;
  report.warnings.insert(report.warnings.end(), judged.warnings.begin(), judged.warnings.end());
}

Result<Report> Scanner::judge(Artifact artifact, const Rules& rules, const DataRules& data, TimePoint now) {
  auto matches = matcher_.match(artifact.inventory);
  if (!matches) return matches.error().during("scan {}", artifact.name);
  Report report = report_of(std::move(artifact), now);
  report.engine = "slipway " + version_;
  for (const auto& [reason, count] : matches->not_judged) {
    report.unjudged += static_cast<std::uint64_t>(count);
    report.warnings.push_back(fmt::format("{} package{} not judged: {}", count, count == 1 ? "" : "s", reason));
  }
  if (matches->feeds.empty() && report.unjudged > 0) {
    return fail(Error(ErrorKind::kUnavailable,
                      fmt::format("no advisories are about {}: {}", report.artifact, report.warnings.back()))
                    .with_hint(std::string(kHowToLoad)));
  }
  for (const auto& feed : matches->feeds) {
    const auto known = dates_.find(feed);
    const auto at = known != dates_.end() ? std::optional(known->second) : std::nullopt;
    report.data.push_back({.source = feed, .loaded_at = at});
    if (auto good = judge_age("the feed " + feed, at, data, now, report); !good) return fail(std::move(good.error()));
  }
  apply_rules(std::move(matches->findings), rules, report);
  return report;
}

}  // namespace slipway::scan
