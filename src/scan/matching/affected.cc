#include "scan/matching/affected.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "feeds/cvss/cvss.h"
#include "feeds/formats/json_node.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;

enum class EventKind : std::uint8_t { kIntroduced, kLastAffected, kFixed };

struct Event {
  EventKind kind{};
  std::string_view version{};
  std::size_t place = 0;  // in the publisher's list

  // OSV's sign for the very beginning.
  [[nodiscard]] bool from_the_beginning() const { return kind == EventKind::kIntroduced && version == "0"; }
};

// A branch of Composer's ("dev-main", "2.x-dev") is somewhere, and nobody knows where.
bool is_branch(std::string_view version) { return version.starts_with("dev-") || version.ends_with("x-dev"); }

// Whether it can be said what it is older than. Tools place whatever they find; "unknown" is below or above all then,
// and either would be a guess.
bool has_a_place(VersionScheme scheme, std::string_view version) {
  constexpr std::string_view kDigits = "0123456789";
  const bool is_plain = !version.empty() && kDigits.contains(version.front()) && kDigits.contains(version.back()) &&
                        version.find_first_not_of("0123456789.") == version.npos && !version.contains("..");
  if (is_plain) return true;
  if (scheme == VersionScheme::kPep440) return is_version(scheme, version);
  if (scheme == VersionScheme::kPackagist && is_branch(version)) return false;
  if (version.find("${") != version.npos) return false;
  return version.find_first_of(kDigits) != version.npos;
}

// As Composer takes them before it compares: "1.2" and "v1.2.0-stable" are 1.2.0.0.
std::string as_composer(std::string_view version) {
  constexpr int kNumbers = 4;
  if (version.starts_with('v') || version.starts_with('V')) version.remove_prefix(1);
  if (version.ends_with("-stable")) version.remove_suffix(std::string_view("-stable").size());
  const auto end = std::min(version.find_first_not_of("0123456789."), version.size());
  std::string whole(version.substr(0, end));
  if (whole.empty() || whole.ends_with('.')) return std::string(version);
  for (auto numbers = 1 + std::ranges::count(whole, '.'); numbers < kNumbers; ++numbers) whole += ".0";
  return whole.append(version.substr(end));
}

std::optional<std::strong_ordering> compare(VersionScheme scheme, std::string_view a, std::string_view b) {
  if (scheme != VersionScheme::kPackagist) return compare_versions(scheme, a, b);
  return compare_versions(scheme, as_composer(a), as_composer(b));
}

// Whether `installed` is at or behind the event; none: they cannot be compared.
std::optional<bool> reached(const Event& event, VersionScheme scheme, std::string_view installed) {
  if (event.from_the_beginning()) return true;
  if (!has_a_place(scheme, installed)) return std::nullopt;
  const auto order = compare(scheme, installed, event.version);
  if (!order) return std::nullopt;
  return event.kind == EventKind::kLastAffected ? *order > 0 : *order >= 0;
}

std::vector<Event> events_of(const JsonNode& range) {
  std::vector<Event> events;
  for (const auto& one : range["events"].items()) {
    const auto add = [&](EventKind kind, const char* name) {
      if (const auto version = one[name]) events.push_back({kind, version.text(), events.size()});
    };
    add(EventKind::kIntroduced, "introduced");
    add(EventKind::kFixed, "fixed");
    add(EventKind::kLastAffected, "last_affected");
  }
  return events;
}

// A range ends at its limits: what is below any of them is in it. No limit is a fix.
Answer within_limits(const JsonNode& range, VersionScheme scheme, std::string_view installed) {
  auto answer = Answer::kYes;  // there are none
  for (const auto& one : range["events"].items()) {
    const auto limit = one["limit"];
    if (!limit) continue;
    if (limit.text() == "*") return Answer::kYes;
    const auto order = has_a_place(scheme, installed) ? compare(scheme, installed, limit.text()) : std::nullopt;
    if (!order) return Answer::kUnknown;
    if (*order < 0) return Answer::kYes;
    answer = Answer::kNo;
  }
  return answer;
}

// By version, as OSV's evaluation asks for; publishers list them in any order. Where one is fixed and introduced again
// at the same version, theirs says which comes last. All of them must be comparable.
void sort_events(std::vector<Event>& events, VersionScheme scheme) {
  const auto is_last = [](const Event& event) { return event.kind == EventKind::kLastAffected; };
  std::ranges::sort(events, [&](const Event& a, const Event& b) {
    if (a.from_the_beginning() != b.from_the_beginning()) return a.from_the_beginning();
    const auto order = a.from_the_beginning() ? std::strong_ordering::equal : compare(scheme, a.version, b.version);
    if (order && *order != 0) return *order < 0;
    return is_last(a) != is_last(b) ? is_last(b) : a.place < b.place;
  });
}

Applies in_range(const JsonNode& range, VersionScheme scheme, std::string_view installed) {
  auto events = events_of(range);
  const auto comparable = [&](const Event& event) {
    return event.from_the_beginning() || compare_versions(scheme, event.version, event.version);
  };
  if (!std::ranges::all_of(events, comparable)) return {.answer = Answer::kUnknown};
  if (const auto within = within_limits(range, scheme, installed); within != Answer::kYes) return {.answer = within};
  sort_events(events, scheme);
  Applies found;
  for (const auto& event : events) {
    const auto there = reached(event, scheme, installed);
    if (!there) return {.answer = Answer::kUnknown};
    if (*there) {
      found.answer = event.kind == EventKind::kIntroduced ? Answer::kYes : Answer::kNo;
    } else if (found.answer == Answer::kYes && event.kind == EventKind::kFixed) {
      return {Answer::kYes, FixStatus::kFixed, std::string(event.version)};
    }
  }
  return found;
}

// The next number of "1.0.2rc1", without zeros before it; empty at 0, and where no more follow.
std::string_view take_number(std::string_view& version) {
  const auto end = std::min(version.find_first_not_of("0123456789"), version.size());
  auto number = version.substr(0, end);
  version.remove_prefix(end);
  version = version.starts_with('.') ? version.substr(1) : std::string_view();
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

// Of Python's versions: whether the numbers that they begin with differ. Comparing takes far longer, and lists have
// hundreds of versions.
bool are_plainly_different(std::string_view a, std::string_view b) {
  for (auto* version : {&a, &b}) {
    if (version->find('!') != version->npos || version->empty() || version->front() < '0' || version->front() > '9') {
      return false;
    }
  }
  while (!a.empty() || !b.empty()) {
    if (take_number(a) != take_number(b)) return true;
  }
  return false;
}

bool listed(const JsonNode& versions, VersionScheme scheme, std::string_view installed) {
  return std::ranges::any_of(versions.items(), [&](const JsonNode& one) {
    if (one.text() == installed) return true;
    if (scheme == VersionScheme::kPep440 && are_plainly_different(one.text(), installed)) return false;
    const auto order = compare(scheme, one.text(), installed);
    return order && *order == 0;
  });
}

Applies by_ranges(const feeds::Affected& said, VersionScheme scheme, std::string_view installed) {
  feeds::JsonDocument document;
  const auto root = document.parse(said.ranges);
  if (!root) return {.answer = Answer::kUnknown};
  Applies best;
  for (const auto& range : (*root)["ranges"].items()) {
    auto found = in_range(range, scheme, installed);
    if (found.answer == Answer::kYes) return found;
    if (found.answer == Answer::kUnknown) best = std::move(found);
  }
  if (listed((*root)["versions"], scheme, installed)) {
    const auto order = compare(scheme, installed, said.fixed);
    const bool fixes = !said.fixed.empty() && order && *order < 0;
    return {Answer::kYes, fixes ? FixStatus::kFixed : FixStatus::kAffected, fixes ? said.fixed : std::string()};
  }
  return best;
}

bool has_several_fixes(const feeds::Affected& said) {
  constexpr std::string_view kFix = "\"fixed\"";
  const auto first = said.ranges.find(kFix);
  return first != said.ranges.npos && said.ranges.find(kFix, first + 1) != said.ranges.npos;
}

// It says which version is the last that has it, and not which is the first without.
bool names_the_last(const feeds::Affected& said) { return said.ranges.find("\"last_affected\"") != said.ranges.npos; }

Applies before_the_fix(const feeds::Affected& said, VersionScheme scheme, std::string_view installed) {
  const auto order = has_a_place(scheme, installed) ? compare(scheme, installed, said.fixed) : std::nullopt;
  if (!order) return {.answer = Answer::kUnknown};
  if (*order >= 0) return {};
  return {Answer::kYes, FixStatus::kFixed, said.fixed};
}

Severity from_cvss(feeds::Severity severity) {
  switch (severity) {
    case feeds::Severity::kNone: return Severity::kNegligible;
    case feeds::Severity::kLow: return Severity::kLow;
    case feeds::Severity::kMedium: return Severity::kMedium;
    case feeds::Severity::kHigh: return Severity::kHigh;
    case feeds::Severity::kCritical: return Severity::kCritical;
  }
  return Severity::kUnknown;
}

}  // namespace

Applies applies(const feeds::Affected& said, VersionScheme scheme, std::string_view installed) {
  if (said.status == "affected") return by_ranges(said, scheme, installed);
  if (said.status == "fixed") return before_the_fix(said, scheme, installed);
  if (said.status == "open") {
    const bool left = said.urgency == "unimportant" || said.urgency == "end-of-life";
    return {Answer::kYes, left ? FixStatus::kWillNotFix : FixStatus::kAffected, {}};
  }
  if (said.status == "end-of-life") return {Answer::kYes, FixStatus::kEndOfLife, {}};
  if (said.status == "undetermined") return {Answer::kYes, FixStatus::kUnderInvestigation, {}};
  return {};
}

std::string first_unaffected(const std::vector<const feeds::Affected*>& said, VersionScheme scheme, std::string fixed) {
  constexpr int kMostSteps = 100;
  if (said.size() == 1 && !has_several_fixes(*said.front())) return fixed;
  for (int step = 0; step < kMostSteps && !fixed.empty(); ++step) {
    bool further = false;
    for (const auto* one : said) {
      auto how = applies(*one, scheme, fixed);
      if (how.answer != Answer::kYes) continue;
      if (how.fixed.empty() && names_the_last(*one)) return {};
      if (how.fixed.empty()) continue;  // it knows of no end, and may only be less well kept
      fixed = std::move(how.fixed);
      further = true;
    }
    if (!further) break;
  }
  return fixed;
}

std::optional<Severity> severity_of_word(std::string_view word) {
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, Severity>>({
      {"unimportant", Severity::kNegligible},
      {"negligible", Severity::kNegligible},
      {"none", Severity::kNegligible},
      {"low", Severity::kLow},
      {"minor", Severity::kLow},
      {"medium", Severity::kMedium},
      {"moderate", Severity::kMedium},
      {"high", Severity::kHigh},
      {"important", Severity::kHigh},
      {"major", Severity::kHigh},
      {"critical", Severity::kCritical},
  });
  std::string plain;
  for (const char c : word) {
    if (c == '*') continue;  // Debian's: the security team has not looked at it
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  const auto known = std::ranges::find(kWords, plain, &std::pair<std::string_view, Severity>::first);
  if (known == kWords.end()) return std::nullopt;
  return known->second;
}

std::optional<Severity> severity_of_score(std::optional<double> score, std::string_view vector) {
  if (!vector.empty()) {
    if (const auto cvss = feeds::score_cvss(vector)) return from_cvss(cvss->severity);
  }
  if (!score) return std::nullopt;
  return from_cvss(feeds::severity_of(feeds::CvssVersion::k31, *score));
}

}  // namespace slipway::scan
