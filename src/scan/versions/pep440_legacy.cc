// What PyPI has from before PEP 440 ("0.7.4.svn.r2010", "2013-09-11T19-27-10"), all of it below any version of today.
#include <vector>

#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

constexpr std::string_view kFinal = "final";
constexpr std::string_view kHyphen = "final-";

struct Part {
  bool number = false;
  std::string_view text{};

  [[nodiscard]] bool is_hyphen() const { return !number && text == kHyphen; }
  [[nodiscard]] bool is_zero() const { return number && versions::is_zero(text); }
};

// Words by which setuptools sorts others.
std::string_view replaced(std::string_view word) {
  for (const auto* candidate : {"pre", "preview", "rc"}) {
    if (equals_lower(word, candidate)) return "c";
  }
  return equals_lower(word, "dev") ? "@" : word;
}

Part take_part(std::string_view& text) {
  if (is_digit(text.front())) return {.number = true, .text = take_digits(text)};
  if (take(text, '-')) return {.text = kHyphen};
  if (is_letter(text.front())) return {.text = replaced(take_while(text, is_letter))};
  return {.text = take_while(text, [](char c) { return !is_word(c) && c != '.' && c != '-'; })};
}

// What makes a prerelease takes back the zeros and hyphens before it: "1.0-a" is "1a".
std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts;
  for (take_while(text, [](char c) { return c == '.'; }); !text.empty();
       take_while(text, [](char c) { return c == '.'; })) {
    const auto part = take_part(text);
    if (!part.number && compare_lower(part.text, kFinal) == Order::less) {
      while (!parts.empty() && parts.back().is_hyphen()) parts.pop_back();
      while (!parts.empty() && parts.back().is_zero()) parts.pop_back();
    }
    parts.push_back(part);
  }
  parts.push_back({.text = kFinal});
  return parts;
}

}  // namespace

std::strong_ordering compare_pep440_legacy(std::string_view a, std::string_view b) {
  const auto left = parts_of(a);
  const auto right = parts_of(b);
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (left[i].number != right[i].number) return left[i].number ? Order::greater : Order::less;
    const auto order =
        left[i].number ? compare_numbers(left[i].text, right[i].text) : compare_lower(left[i].text, right[i].text);
    if (order != Order::equal) return order;
  }
  return left.size() <=> right.size();
}

}  // namespace slipway::scan::versions
