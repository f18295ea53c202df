// Ranges of node-semver. Its upper bounds "<2.0.0-0" are read as "the first number is at most 1": the same set, without
// counting upwards in numbers of any length.
#include <cstdint>
#include <string>

#include "scan/versions/ranges.h"
#include "scan/versions/semver.h"
#include "scan/versions/text.h"

namespace slipway::scan {
namespace {

using namespace versions;

enum class Operator : std::uint8_t { kEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kTilde, kCaret };

struct Spelling {
  std::string_view text;
  Operator op;
};

// Longer ones before those that they begin with.
constexpr Spelling kOperators[] = {
    {">=", Operator::kGreaterEqual}, {"<=", Operator::kLessEqual}, {">", Operator::kGreater}, {"<", Operator::kLess},
    {"~>", Operator::kTilde},        {"~", Operator::kTilde},      {"^", Operator::kCaret},   {"=", Operator::kEqual},
};

// A version of which the last numbers may be left open: "1.x".
struct Partial {
  Semver version{};
  std::size_t count = 0;  // so many of its numbers are given
};

bool is_wildcard(char c) { return c == 'x' || c == 'X' || c == '*'; }

std::optional<Partial> parse_partial(std::string_view text, bool loose) {
  take_while(text, [](char c) { return c == 'v' || c == '=' || is_blank(c); });
  Partial partial;
  auto& numbers = partial.version.numbers;
  bool open = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && !take(text, '.')) return text.empty() ? std::optional(partial) : std::nullopt;
    if (!text.empty() && is_wildcard(text.front())) {
      text.remove_prefix(1);
      open = true;
      continue;
    }
    const auto digits = take_digits(text);
    if (digits.empty() || (!loose && digits.size() > 1 && digits.front() == '0')) return std::nullopt;
    if (open) continue;
    numbers[i] = digits;
    ++partial.count;
  }
  if (!parse_semver_tail(text, loose ? SemverForm::kLoose : SemverForm::kStrict, partial.version)) return std::nullopt;
  if (open) partial.version.prerelease = {};
  return partial;
}

// Of the first `count` numbers alone.
Order compare_front(const Semver& version, const Partial& partial, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto order = compare_numbers(version.numbers[i], partial.version.numbers[i]);
    if (order != Order::equal) return order;
  }
  return Order::equal;
}

std::string incremented(std::string_view digits) {
  std::string number = "0" + std::string(digits);
  auto at = number.size() - 1;
  for (; number[at] == '9'; --at) number[at] = '0';
  ++number[at];
  return number;
}

class Comparators {
 public:
  Comparators(const Semver& version, bool prereleases) : version_(version), prereleases_(prereleases) {}

  void add(Operator op, const Partial& partial) {
    note_prerelease(partial);
    holds_ = holds_ &&
             (partial.count == partial.version.numbers.size() ? holds_whole(op, partial) : holds_open(op, partial));
  }
  void add_hyphen(const Partial& from, const Partial& to) {
    note_prerelease(from);
    note_prerelease(to);
    const bool low = from.count == 0 || at_least(from, prereleases_);
    const bool whole = to.count == to.version.numbers.size();
    holds_ = holds_ && low && (whole ? compare_semver_parts(version_, to.version) <= 0 : within(to, to.count));
  }

  // A prerelease is meant only where one of the same release is named.
  [[nodiscard]] bool hold() const {
    return holds_ && (prereleases_ || version_.prerelease.empty() || names_prerelease_);
  }

 private:
  void note_prerelease(const Partial& partial) {
    if (partial.version.prerelease.empty()) return;
    if (compare_semver_numbers(version_, partial.version) == Order::equal) names_prerelease_ = true;
  }
  // `from_first`: where none is named, the prereleases of the bound itself are in.
  [[nodiscard]] bool at_least(const Partial& partial, bool from_first) const {
    auto bound = partial.version;
    if (from_first && bound.prerelease.empty()) bound.prerelease.text = "0";
    return compare_semver_parts(version_, bound) >= 0;
  }
  [[nodiscard]] bool within(const Partial& partial, std::size_t count) const {
    return compare_front(version_, partial, count) <= 0;
  }
  [[nodiscard]] bool holds_whole(Operator op, const Partial& partial) const;
  [[nodiscard]] bool holds_open(Operator op, const Partial& partial) const;
  [[nodiscard]] bool after(const Partial& partial) const;

  const Semver& version_;
  bool prereleases_;
  bool holds_ = true;
  bool names_prerelease_ = false;
};

// How many of the first numbers "^" keeps: up to the first that is not 0.
std::size_t kept_by_caret(const Partial& partial) {
  std::size_t count = 1;
  while (count < partial.count && is_zero(partial.version.numbers[count - 1])) ++count;
  return count;
}

bool Comparators::holds_whole(Operator op, const Partial& partial) const {
  const auto order = compare_semver_parts(version_, partial.version);
  switch (op) {
    case Operator::kEqual: return order == 0;
    case Operator::kLess: return order < 0;
    case Operator::kLessEqual: return order <= 0;
    case Operator::kGreater: return order > 0;
    case Operator::kGreaterEqual: return order >= 0;
    case Operator::kTilde: return order >= 0 && within(partial, 2);
    case Operator::kCaret: break;
  }
  return order >= 0 && within(partial, kept_by_caret(partial));
}

bool Comparators::holds_open(Operator op, const Partial& partial) const {
  if (partial.count == 0) return op != Operator::kLess && op != Operator::kGreater;
  switch (op) {
    case Operator::kLess: return compare_front(version_, partial, partial.count) < 0;
    case Operator::kLessEqual: return within(partial, partial.count);
    case Operator::kGreater: return after(partial);
    case Operator::kGreaterEqual: return at_least(partial, prereleases_);
    case Operator::kEqual:
    case Operator::kTilde: return at_least(partial, prereleases_) && within(partial, partial.count);
    case Operator::kCaret: break;
  }
  return at_least(partial, prereleases_) && within(partial, kept_by_caret(partial));
}

// ">1.2" is ">=1.3.0": prereleases of that one are out, unless all are in.
bool Comparators::after(const Partial& partial) const {
  if (within(partial, partial.count)) return false;
  if (prereleases_) return true;
  const auto next = incremented(partial.version.numbers[partial.count - 1]);
  auto bound = partial.version;
  bound.numbers[partial.count - 1] = next;
  return compare_semver_parts(version_, bound) >= 0;
}

Operator take_operator(std::string_view& text) {
  for (const auto& [spelling, op] : kOperators) {
    if (take(text, spelling)) return op;
  }
  return Operator::kEqual;
}

bool add_hyphen(std::string_view alternative, bool loose, Comparators& comparators) {
  for (auto at = alternative.find('-', 1); at != std::string_view::npos; at = alternative.find('-', at + 1)) {
    if (at + 1 == alternative.size() || !is_blank(alternative[at - 1]) || !is_blank(alternative[at + 1])) continue;
    const auto from = parse_partial(trimmed(alternative.substr(0, at)), loose);
    const auto to = parse_partial(trimmed(alternative.substr(at + 1)), loose);
    if (from && to) comparators.add_hyphen(*from, *to);
    return from && to;
  }
  return false;
}

enum class Verdict : std::uint8_t { kInvalid, kHolds, kFails };

Verdict judge(std::string_view alternative, const Semver& version, NpmRangeOptions options) {
  Comparators comparators(version, options.include_prerelease);
  alternative = trimmed(alternative);
  if (!alternative.empty() && !add_hyphen(alternative, options.loose, comparators)) {
    bool any = false;
    for (auto rest = alternative; !rest.empty(); take_while(rest, is_blank)) {
      const auto op = take_operator(rest);
      take_while(rest, [](char c) { return c == 'v' || c == '=' || is_blank(c); });
      const auto partial = parse_partial(take_while(rest, [](char c) { return !is_blank(c); }), options.loose);
      if (!partial && !options.loose) return Verdict::kInvalid;
      if (!partial) continue;
      any = true;
      comparators.add(op, *partial);
    }
    if (!any) return Verdict::kInvalid;
  }
  return comparators.hold() ? Verdict::kHolds : Verdict::kFails;
}

}  // namespace

std::optional<bool> npm_range_contains(std::string_view range, std::string_view version, NpmRangeOptions options) {
  const auto parsed = parse_semver(version, options.loose ? SemverForm::kLoose : SemverForm::kStrict);
  if (!parsed) return std::nullopt;
  std::optional<bool> contains;
  for (bool more = true; more;) {
    const auto bar = range.find("||");
    const auto verdict = judge(range.substr(0, bar), *parsed, options);
    if (verdict == Verdict::kInvalid && !options.loose) return std::nullopt;
    if (verdict != Verdict::kInvalid) contains = contains.value_or(false) || verdict == Verdict::kHolds;
    more = bar != std::string_view::npos;
    if (more) range.remove_prefix(bar + 2);
  }
  return contains;
}

}  // namespace slipway::scan
