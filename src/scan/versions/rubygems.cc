#include <cstdint>

#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

bool fits_after_hyphen(char c) { return is_word(c) || c == '-'; }

template <class Fits>
bool take_parts(std::string_view& text, Fits fits) {
  while (take(text, '.')) {
    if (take_while(text, fits).empty()) return false;
  }
  return true;
}

// The version without blanks around it. Letters in its first part are put up with: "1beta".
std::optional<std::string_view> parse(std::string_view text) {
  text = trimmed(text);
  auto rest = text;
  if (take_digits(rest).empty()) return std::nullopt;
  take_while(rest, is_word);
  if (!take_parts(rest, is_word)) return std::nullopt;
  if (take(rest, '-')) {
    if (take_while(rest, fits_after_hyphen).empty() || !take_parts(rest, fits_after_hyphen)) return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  return text;
}

// The numbers that a version begins with.
std::string_view release_of(std::string_view version) {
  return take_while(version, [](char c) { return is_digit(c) || c == '.'; });
}

std::string_view without_last_zeros(std::string_view release) {
  for (;;) {
    if (release.ends_with('.')) release.remove_suffix(1);
    const auto last = release.substr(release.rfind('.') + 1);
    if (release.empty() || !is_zero(last)) return release;
    release.remove_suffix(last.size());
  }
}

struct Segment {
  bool number = true;
  std::string_view text{};  // of numbers: nothing is 0
};

// The numbers and words of a version, and 0 for ever after the last. A hyphen reads "pre". Zeros right before the first
// word are left out: "1.0.a" is a prerelease of "1".
class Segments {
 public:
  explicit Segments(std::string_view version) : release_(release_of(version)), words_(version.substr(release_.size())) {
    release_ = without_last_zeros(release_);
  }

  [[nodiscard]] bool at_end() const { return release_.empty() && words_.empty(); }

  Segment next() {
    auto& text = release_.empty() ? words_ : release_;
    take(text, '.');
    if (take(text, '-')) return {.number = false, .text = "pre"};
    if (text.empty() || is_digit(text.front())) return {.number = true, .text = take_digits(text)};
    return {.number = false, .text = take_while(text, is_letter)};
  }

 private:
  std::string_view release_;
  std::string_view words_;
};

Order compare(std::string_view a, std::string_view b) {
  Segments left(a);
  Segments right(b);
  while (!left.at_end() || !right.at_end()) {
    const auto in_a = left.next();
    const auto in_b = right.next();
    if (in_a.number != in_b.number) return in_a.number ? Order::greater : Order::less;
    const auto order = in_a.number ? compare_numbers(in_a.text, in_b.text) : in_a.text <=> in_b.text;
    if (order != Order::equal) return order;
  }
  return Order::equal;
}

}  // namespace

bool is_rubygems(std::string_view text) { return parse(text).has_value(); }

std::optional<std::strong_ordering> compare_rubygems(std::string_view a, std::string_view b) {
  const auto left = parse(a);
  const auto right = parse(b);
  if (!left || !right) return std::nullopt;
  return compare(*left, *right);
}

std::optional<bool> rubygems_pessimistic(std::string_view base, std::string_view version) {
  const auto low = parse(base);
  const auto given = parse(version);
  if (!low || !given) return std::nullopt;
  if (compare(*given, *low) == Order::less) return false;
  auto shared = release_of(*low);
  if (shared.ends_with('.')) shared.remove_suffix(1);
  shared = shared.substr(0, shared.rfind('.'));
  auto release = release_of(*given);
  while (!shared.empty()) {
    const auto number = take_digits(shared);
    if (compare_numbers(take_digits(release), number) != Order::equal) return false;
    take(release, '.');
    take(shared, '.');
  }
  return true;
}

}  // namespace slipway::scan::versions
