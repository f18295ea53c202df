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

// Why nothing was said of a package; empty: it was judged. Trivy looks packages of a distribution up by the
// distribution and its release, and passes over what it does not know.
std::string why_not_judged(const Package& package, const TrivyAnswer& answer, const Report& report) {
  const auto type = to_string(package.type);
  if (is_of_distribution(package.type)) {
    const auto& distribution = report.inventory.distribution;
    if (!distribution) return fmt::format("{} packages of an unknown distribution", type);
    if (distribution->version.empty()) return fmt::format("packages of an unknown release of {}", distribution->id);
    if (answer.release_unsupported) {
      return fmt::format("nobody tells Trivy any more about {} {}", distribution->id, distribution->version);
    }
  }
  return answer.judged.has(package) ? "" : fmt::format("Trivy does not answer about {} packages", type);
}

void tell_of_unjudged(const TrivyAnswer& answer, Report& report) {
  std::map<std::string, std::uint64_t> reasons;
  for (const auto& package : report.inventory.packages) {
    if (auto reason = why_not_judged(package, answer, report); !reason.empty()) ++reasons[std::move(reason)];
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
  tell_of_unjudged(*answer, report);
  apply_rules(std::move(answer->findings), rules, report);
  return report;
}

}  // namespace slipway::scan
