#include <cstdint>

#include "scan/versions/ranges.h"
#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan {
namespace {

using namespace versions;

enum class Operator : std::uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kPessimistic };

struct Spelling {
  std::string_view text;
  Operator op;
};

// Longer ones before those that they begin with.
constexpr Spelling kOperators[] = {
    {">=", Operator::kGreaterEqual}, {"<=", Operator::kLessEqual},   {"!=", Operator::kNotEqual},
    {"==", Operator::kEqual},        {"~>", Operator::kPessimistic}, {"=", Operator::kEqual},
    {"<", Operator::kLess},          {">", Operator::kGreater},
};

bool ends_version(char c) { return is_blank(c) || c == ',' || c == '<' || c == '>' || c == '='; }

// Some schemes give signs alone a place in their order; nobody means them as a bound.
bool is_bound(std::string_view text) {
  return !all_of(text, [](char c) { return !is_word(c); });
}

struct Subject {
  VersionScheme scheme;
  std::string_view version;

  [[nodiscard]] std::optional<bool> test(Operator op, std::string_view bound) const {
    if (!is_bound(bound)) return std::nullopt;
    if (op == Operator::kPessimistic) {
      return scheme == VersionScheme::kRubyGems ? rubygems_pessimistic(bound, version) : std::nullopt;
    }
    const auto order = compare_versions(scheme, version, bound);
    if (!order) return std::nullopt;
    switch (op) {
      case Operator::kEqual: return *order == 0;
      case Operator::kNotEqual: return *order != 0;
      case Operator::kLess: return *order < 0;
      case Operator::kLessEqual: return *order <= 0;
      case Operator::kGreater: return *order > 0;
      case Operator::kGreaterEqual: return *order >= 0;
      case Operator::kPessimistic: break;
    }
    return std::nullopt;
  }
};

// Takes ">= 1.2", "1.2", "*".
std::optional<bool> take_comparison(std::string_view& text, const Subject& subject) {
  auto op = Operator::kEqual;
  bool bare = true;
  for (const auto& spelling : kOperators) {
    if (!take(text, spelling.text)) continue;
    op = spelling.op;
    bare = false;
    break;
  }
  take_while(text, is_blank);
  const auto bound = take_while(text, [](char c) { return !ends_version(c); });
  if (bare && bound == "*") return true;
  return subject.test(op, bound);
}

// Takes "[1.0,2.0)", "(,1.0]", "[1.0]". A side that is left empty has no bound.
std::optional<bool> take_interval(std::string_view& text, const Subject& subject) {
  const bool from_included = text.front() == '[';
  const auto end = text.find_first_of("])");
  if (end == std::string_view::npos) return std::nullopt;
  const bool to_included = text[end] == ']';
  const auto inside = text.substr(1, end - 1);
  text.remove_prefix(end + 1);

  const auto comma = inside.find(',');
  const auto from = trimmed(inside.substr(0, comma));
  if (comma == std::string_view::npos) {
    if (!from_included || !to_included) return std::nullopt;
    return subject.test(Operator::kEqual, from);
  }
  const auto to = trimmed(inside.substr(comma + 1));
  const auto above = from.empty() ? std::optional(true)
                                  : subject.test(from_included ? Operator::kGreaterEqual : Operator::kGreater, from);
  const auto below =
      to.empty() ? std::optional(true) : subject.test(to_included ? Operator::kLessEqual : Operator::kLess, to);
  if (!above || !below) return std::nullopt;
  return *above && *below;
}

void take_joints(std::string_view& text) {
  take_while(text, [](char c) { return is_blank(c) || c == ','; });
}

// All comparisons must hold, and one of the intervals.
std::optional<bool> judge(std::string_view alternative, const Subject& subject) {
  bool comparisons_hold = true;
  std::optional<bool> interval_holds;
  take_joints(alternative);
  if (alternative.empty()) return std::nullopt;
  for (; !alternative.empty(); take_joints(alternative)) {
    const bool interval = alternative.front() == '[' || alternative.front() == '(';
    const auto holds = interval ? take_interval(alternative, subject) : take_comparison(alternative, subject);
    if (!holds) return std::nullopt;
    if (interval) {
      interval_holds = interval_holds.value_or(false) || *holds;
    } else {
      comparisons_hold = comparisons_hold && *holds;
    }
  }
  return comparisons_hold && interval_holds.value_or(true);
}

}  // namespace

std::optional<bool> constraint_contains(VersionScheme scheme, std::string_view constraint, std::string_view version) {
  const Subject subject{.scheme = scheme, .version = version};
  if (!compare_versions(scheme, version, version)) return std::nullopt;
  bool contains = false;
  for (bool more = true; more;) {
    const auto alternative = take_while(constraint, [](char c) { return c != '|'; });
    more = take(constraint, '|');
    take(constraint, '|');
    const auto holds = judge(alternative, subject);
    if (!holds) return std::nullopt;
    contains = contains || *holds;
  }
  return contains;
}

}  // namespace slipway::scan
