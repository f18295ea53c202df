#include <cstdint>

#include "scan/versions/pep440.h"
#include "scan/versions/ranges.h"
#include "scan/versions/text.h"

namespace slipway::scan {
namespace {

using namespace versions;

enum class Operator : std::uint8_t {
  kArbitrary,
  kEqual,
  kNotEqual,
  kCompatible,
  kLessEqual,
  kGreaterEqual,
  kLess,
  kGreater,
};

struct Spelling {
  std::string_view text;
  Operator op;
};

// Longer ones before those that they begin with.
constexpr Spelling kOperators[] = {
    {"===", Operator::kArbitrary}, {"==", Operator::kEqual},     {"!=", Operator::kNotEqual},
    {"~=", Operator::kCompatible}, {"<=", Operator::kLessEqual}, {">=", Operator::kGreaterEqual},
    {"<", Operator::kLess},        {">", Operator::kGreater},
};

struct Specifier {
  Operator op = Operator::kArbitrary;
  std::string_view text{};  // what follows the operator
  Pep440 version{};         // but of kArbitrary
  bool prefix = false;      // "==1.2.*"
};

bool has_only_release(const Pep440& version) {
  return !version.is_prerelease() && !version.post && version.local.empty();
}

bool is_permitted(const Specifier& specifier) {
  const bool equality = specifier.op == Operator::kEqual || specifier.op == Operator::kNotEqual;
  if (specifier.prefix) return equality && has_only_release(specifier.version);
  if (!equality && !specifier.version.local.empty()) return false;
  return specifier.op != Operator::kCompatible || specifier.version.release.find('.') != std::string_view::npos;
}

std::optional<Specifier> parse_specifier(std::string_view text) {
  for (const auto& [spelling, op] : kOperators) {
    if (!take(text, spelling)) continue;
    Specifier specifier{.op = op, .text = trimmed(text)};
    if (op == Operator::kArbitrary) return specifier;
    auto version = specifier.text;
    specifier.prefix = version.ends_with(".*");
    if (specifier.prefix) version.remove_suffix(2);
    const auto parsed = parse_pep440(version);
    if (!parsed || version != trimmed(version)) return std::nullopt;
    specifier.version = *parsed;
    return is_permitted(specifier) ? std::optional(specifier) : std::nullopt;
  }
  return std::nullopt;
}

// Whether a version begins with these numbers of a release; those that it does not have are 0.
bool begins_with(const Pep440& version, std::string_view epoch, std::string_view release) {
  if (compare_numbers(version.epoch, epoch) != Order::equal) return false;
  auto own = version.release;
  while (!release.empty()) {
    const auto number = take_digits(release);
    if (compare_numbers(take_digits(own), number) != Order::equal) return false;
    take(own, '.');
    take(release, '.');
  }
  return true;
}

Pep440 without_local(Pep440 version) {
  version.local = {};
  return version;
}

// The prereleases of the bound itself are not below it.
bool is_less(const Pep440& version, const Pep440& bound) {
  if (compare_pep440_parts(version, bound) >= 0) return false;
  if (bound.is_prerelease() || !version.is_prerelease()) return true;
  auto first = bound;
  first.dev = "0";
  return compare_pep440_parts(version, first) < 0;
}

// Post-releases and local versions of the bound itself are not above it.
bool is_greater(const Pep440& version, const Pep440& bound) {
  if (compare_pep440_parts(without_local(version), bound) <= 0) return false;
  if (bound.post || !version.post) return true;
  auto base = without_local(version);
  base.post.reset();
  base.dev.reset();
  return compare_pep440_parts(base, bound) != 0;
}

bool equals(const Specifier& specifier, const Pep440& version) {
  const auto& wanted = specifier.version;
  if (specifier.prefix) return begins_with(version, wanted.epoch, wanted.release);
  return compare_pep440_parts(wanted.local.empty() ? without_local(version) : version, wanted) == 0;
}

bool holds(const Specifier& specifier, const Pep440& version) {
  const auto& bound = specifier.version;
  const auto order = compare_pep440_parts(without_local(version), bound);
  switch (specifier.op) {
    case Operator::kArbitrary: break;
    case Operator::kEqual: return equals(specifier, version);
    case Operator::kNotEqual: return !equals(specifier, version);
    case Operator::kCompatible:
      return order >= 0 && begins_with(version, bound.epoch, bound.release.substr(0, bound.release.rfind('.')));
    case Operator::kLessEqual: return order <= 0;
    case Operator::kGreaterEqual: return order >= 0;
    case Operator::kLess: return is_less(version, bound);
    case Operator::kGreater: return is_greater(version, bound);
  }
  return false;
}

}  // namespace

std::optional<bool> pep440_contains(std::string_view specifiers, std::string_view version, bool prereleases) {
  const auto parsed = parse_pep440(version);
  bool needs_version = trimmed(specifiers).empty();
  bool contains = prereleases || !parsed || !parsed->is_prerelease();
  while (!specifiers.empty()) {
    const auto one = trimmed(take_while(specifiers, [](char c) { return c != ','; }));
    take(specifiers, ',');
    if (one.empty()) continue;
    const auto specifier = parse_specifier(one);
    if (!specifier) return std::nullopt;
    if (specifier->op == Operator::kArbitrary) {
      contains = contains && compare_lower(trimmed(version), specifier->text) == Order::equal;
    } else {
      needs_version = true;
      contains = contains && parsed && holds(*specifier, *parsed);
    }
  }
  if (needs_version && !parsed) return std::nullopt;
  return contains;
}

}  // namespace slipway::scan
