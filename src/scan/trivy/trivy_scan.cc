#include "scan/trivy/trivy_scan.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "scan/reports/formats.h"

namespace slipway::scan {
namespace {

Severity least_wanted(const Rules& rules, std::optional<Severity> block_at) {
  auto least = std::min(Severity::kHigh, block_at.value_or(Severity::kHigh));
  for (const auto severity : rules.severities) least = std::min(least, severity);
  return least;
}

std::vector<Severity> at_least(Severity least) {
  constexpr std::array kAll{Severity::kUnknown, Severity::kNegligible, Severity::kLow,
                            Severity::kMedium,  Severity::kHigh,       Severity::kCritical};
  std::vector<Severity> some;
  std::ranges::copy_if(kAll, std::back_inserter(some), [&](Severity one) { return one >= least; });
  return some;
}

// Trivy looks packages of a distribution up by the distribution, and passes over what it does not know.
void tell_of_unjudged(const JudgedPackages& judged, Report& report) {
  std::map<std::string, std::uint64_t> reasons;
  for (const auto& package : report.inventory.packages) {
    const bool homeless = is_of_distribution(package.type) && !report.inventory.distribution;
    if (!homeless && judged.has(package)) continue;
    const auto type = to_string(package.type);
    ++reasons[homeless ? fmt::format("{} packages of an unknown distribution", type)
                       : fmt::format("Trivy does not answer about {} packages", type)];
  }
  for (const auto& [reason, count] : reasons) {
    report.unjudged += count;
    report.warnings.push_back(fmt::format("{} package{} not judged: {}", count, count == 1 ? "" : "s", reason));
  }
}

}  // namespace

Result<Report> judge_with_trivy(Artifact artifact, const TrivyEngine& trivy, const Rules& rules,
                                std::optional<Severity> block_at, const DataRules& data, TimePoint now,
                                const std::stop_token& stop) {
  Report report = report_of(std::move(artifact), now);
  const auto least = least_wanted(rules, block_at);
  if (least > Severity::kUnknown) report.asked_from = least;
  auto answer = trivy.scan_sbom(cyclonedx_json(report, Vulnerabilities::kLeftOut), at_least(least), stop);
  if (!answer) return answer.error().during("scan {} with Trivy", report.artifact);
  report.engine = std::move(answer->engine);
  report.data.push_back({.source = "trivy-db", .loaded_at = answer->database});
  if (auto good = judge_age("trivy-db", answer->database, data, now, report); !good) {
    return fail(std::move(good.error()));
  }
  tell_of_unjudged(answer->judged, report);
  apply_rules(std::move(answer->findings), rules, report);
  return report;
}

}  // namespace slipway::scan
