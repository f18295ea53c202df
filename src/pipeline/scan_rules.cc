#include "pipeline/scan_rules.h"

#include <algorithm>

#include "base/digest.h"

namespace slipway::pipeline {
namespace {

std::size_t expired_rules(const ScanRules& rules, TimePoint now) {
  std::size_t count = 0;
  for (const auto& [name, text] : rules.ignore) {
    if (const auto file = scan::parse_ignore_file(text, name)) {
      count += static_cast<std::size_t>(
          std::ranges::count_if(file->rules, [&](const auto& rule) { return !rule.counts_at(now); }));
    }
  }
  return count;
}

}  // namespace

Result<scan::Rules> rules_of(const ScanRules& rules) {
  scan::Rules made;
  for (const auto& [name, text] : rules.ignore) {
    auto file = scan::parse_ignore_file(text, name);
    if (!file) return fail(std::move(file.error()));
    made.ignore.push_back(std::move(*file));
  }
  for (const auto& [name, text] : rules.vex) {
    auto document = scan::parse_openvex(text, name);
    if (!document) return fail(std::move(document.error()));
    made.vex.push_back(std::move(*document));
  }
  return made;
}

scan::DataRules data_rules_of(const ScanRules& rules) {
  scan::DataRules made{.stale = rules.refuse_stale ? scan::StaleData::kRefuse : scan::StaleData::kWarn};
  made.max_age = rules.max_age_s > 0 ? Duration(std::chrono::seconds(rules.max_age_s)) : Duration::max();
  return made;
}

Result<std::optional<Severity>> block_at(const ScanRules& rules) {
  if (rules.block == "never") return std::nullopt;
  std::string lower = rules.block;
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto severity = parse_severity(lower);
  if (!severity) return fail(ErrorKind::kInvalid, "a scan blocks at {}, which is no severity", rules.block);
  return severity;
}

std::string describe(const ScanRules& rules, TimePoint now) {
  std::string text = rules.block == "never" ? "never blocks" : fmt::format("blocks at {}", rules.block);
  std::string all;
  for (const auto* list : {&rules.ignore, &rules.vex}) {
    for (const auto& [name, content] : *list) all += fmt::format("{} {}\n", name, sha256_hex(content));
  }
  if (!all.empty()) {
    text += fmt::format("; {} ignore files, {} VEX documents ({})", rules.ignore.size(), rules.vex.size(),
                        sha256_hex(all).substr(0, 12));
    if (const auto expired = expired_rules(rules, now); expired > 0) text += fmt::format(", {} expired rules", expired);
  }
  return text;
}

}  // namespace slipway::pipeline
