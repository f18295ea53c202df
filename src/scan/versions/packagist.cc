// The order of PHP's version_compare, which Composer builds on, with Composer's freedom about the "v" in front. As
// there the case of letters counts, and any sign is a dot.
#include <cstdint>

#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

// In their order.
enum class Kind : std::uint8_t { kUnknown, kDev, kAlpha, kBeta, kCandidate, kEnd, kNumber, kPatch };

struct Element {
  Kind kind = Kind::kEnd;
  std::string_view text{};
};

struct Form {
  std::string_view start;
  Kind kind;
};

// A word is what the first of these that it begins with says: "patch" and "post" are "p". All others are one.
constexpr Form kForms[] = {{"dev", Kind::kDev},      {"a", Kind::kAlpha},      {"b", Kind::kBeta},
                           {"RC", Kind::kCandidate}, {"rc", Kind::kCandidate}, {"p", Kind::kPatch}};

Kind kind_of(std::string_view word) {
  for (const auto& form : kForms) {
    if (word.starts_with(form.start)) return form.kind;
  }
  return Kind::kUnknown;
}

Element take_element(std::string_view& text) {
  take_while(text, [](char c) { return !is_word(c); });
  if (text.empty()) return {};
  if (is_digit(text.front())) return {.kind = Kind::kNumber, .text = take_digits(text)};
  return {.kind = kind_of(take_while(text, is_letter))};
}

std::string_view without_v(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && to_lower(text.front()) == 'v' && is_digit(text[1])) text.remove_prefix(1);
  return text;
}

// "dev-NAME" is the head of a branch.
bool is_branch(std::string_view text) { return equals_lower(text.substr(0, 4), "dev-"); }

}  // namespace

bool is_packagist(std::string_view text) {
  text = without_v(text);
  if (text.empty() || !all_of(text, [](char c) { return static_cast<unsigned char>(c) > ' '; })) return false;
  return is_digit(text.front()) || is_branch(text);
}

std::strong_ordering compare_packagist(std::string_view a, std::string_view b) {
  a = without_v(a);
  b = without_v(b);
  // Below all releases, as Composer's Comparator has them. Two of them are the same where their names are.
  if (is_branch(a) && is_branch(b)) return a.substr(4) <=> b.substr(4);
  if (is_branch(a) || is_branch(b)) return is_branch(a) ? Order::less : Order::greater;
  for (;;) {
    const auto left = take_element(a);
    const auto right = take_element(b);
    if (left.kind != right.kind) return left.kind <=> right.kind;
    if (left.kind == Kind::kEnd) return Order::equal;
    if (const auto order = compare_numbers(left.text, right.text); order != Order::equal) return order;
  }
}

}  // namespace slipway::scan::versions
