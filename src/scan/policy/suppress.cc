#include "scan/policy/suppress.h"

#include <algorithm>
#include <utility>

#include "scan/letters.h"

namespace slipway::scan {
namespace {

bool is_fixed(const Finding& finding) { return finding.status == FixStatus::kFixed || !finding.fixed_version.empty(); }

// Why a finding does not count, and who says so.
struct Verdict {
  std::string reason{};
  std::string by{};
};

std::optional<Verdict> ask_ignore_files(const Finding& finding, const std::vector<IgnoreFile>& files, TimePoint now) {
  for (const IgnoreFile& file : files) {
    if (const auto* rule = file.rule_for(finding, now)) return Verdict{rule->reason, file.name};
  }
  return std::nullopt;
}

std::optional<Verdict> ask_vex(const Finding& finding, const VexIndex& index, const VexArtifact& artifact,
                               const PurlOf& purl_of) {
  const auto purl = split_purl(purl_of(finding.package)).value_or(PurlParts{});
  const auto word = index.last_word(finding, purl, artifact);
  if (word.statement == nullptr || !word.statement->suppresses()) return std::nullopt;
  std::string reason(to_string(word.statement->status));
  if (!word.statement->reason.empty()) reason += ": " + word.statement->reason;
  return Verdict{std::move(reason), word.document->name};
}

void add_warnings(const Rules& rules, TimePoint now, std::vector<std::string>& warnings) {
  for (const auto& file : rules.ignore) {
    for (auto& warning : file.warnings(now)) warnings.push_back(std::move(warning));
  }
  for (const auto& document : rules.vex) {
    warnings.insert(warnings.end(), document.warnings.begin(), document.warnings.end());
  }
}

}  // namespace

Judged apply(std::vector<Finding> findings, const Rules& rules, const ArtifactNames& artifact, const PurlOf& purl_of,
             TimePoint now) {
  Judged judged;
  add_warnings(rules, now, judged.warnings);
  const VexIndex index(rules.vex);
  const VexArtifact known(artifact);
  for (Finding& finding : findings) {
    const auto wanted = std::ranges::find(rules.severities, finding.severity) != rules.severities.end();
    if (!rules.severities.empty() && !wanted) {
      ++judged.of_other_severity;
    } else if (rules.only_fixed && !is_fixed(finding)) {
      ++judged.unfixed;
    } else {
      auto verdict = ask_ignore_files(finding, rules.ignore, now);
      if (!verdict && !rules.vex.empty() && purl_of) verdict = ask_vex(finding, index, known, purl_of);
      if (verdict) {
        judged.suppressed.push_back({std::move(finding), std::move(verdict->reason), std::move(verdict->by)});
      } else {
        judged.findings.push_back(std::move(finding));
      }
    }
  }
  return judged;
}

bool blocks(const std::vector<Finding>& findings, std::optional<Severity> block_at) {
  return block_at &&
         std::ranges::any_of(findings, [&](const Finding& finding) { return finding.severity >= *block_at; });
}

Result<std::vector<Severity>> parse_severities(std::string_view list) {
  std::vector<Severity> severities;
  for (bool more = true; more;) {
    const auto word = list.substr(0, list.find(','));
    more = word.size() < list.size();
    list.remove_prefix(more ? word.size() + 1 : word.size());
    const auto severity = parse_severity(small_letters(word));
    if (!severity) {
      return fail(Error(ErrorKind::kInvalid, fmt::format("\"{}\" is not a severity", word))
                      .with_hint("unknown, negligible, low, medium, high or critical, with commas between them"));
    }
    if (std::ranges::find(severities, *severity) == severities.end()) severities.push_back(*severity);
  }
  return severities;
}

}  // namespace slipway::scan
