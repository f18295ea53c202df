#include "scan/versions/schemes.h"
#include "scan/versions/text.h"

namespace slipway::scan::versions {
namespace {

struct Dpkg {
  std::string_view epoch;
  std::string_view upstream;
  std::string_view revision;
};

bool fits_upstream(char c) { return is_word(c) || c == '.' || c == '+' || c == '~' || c == '-' || c == ':'; }
bool fits_revision(char c) { return is_word(c) || c == '.' || c == '+' || c == '~'; }

// A first character that is no digit draws only a warning from dpkg: such packages exist.
std::optional<Dpkg> parse(std::string_view text) {
  Dpkg version;
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    version.epoch = text.substr(0, colon);
    if (version.epoch.empty() || !all_of(version.epoch, is_digit)) return std::nullopt;
    text.remove_prefix(colon + 1);
  }
  if (const auto hyphen = text.rfind('-'); hyphen != std::string_view::npos) {
    version.revision = text.substr(hyphen + 1);
    if (version.revision.empty() || !all_of(version.revision, fits_revision)) return std::nullopt;
    text = text.substr(0, hyphen);
  }
  version.upstream = text;
  if (text.empty() || !all_of(text, fits_upstream)) return std::nullopt;
  return version;
}

// Of characters that are no digits; a tilde is below the end, and letters are below the rest.
int rank(std::string_view text, std::size_t at) {
  if (at >= text.size() || is_digit(text[at])) return 0;
  if (text[at] == '~') return -1;
  const int byte = static_cast<unsigned char>(text[at]);
  return is_letter(text[at]) ? byte : byte + 256;
}

Order compare_part(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    std::size_t at = 0;
    for (;; ++at) {
      const int in_a = rank(a, at);
      const int in_b = rank(b, at);
      if (in_a != in_b) return in_a <=> in_b;
      if (in_a == 0) break;
    }
    a.remove_prefix(at);
    b.remove_prefix(at);
    const auto number = take_digits(a);
    if (const auto order = compare_numbers(number, take_digits(b)); order != Order::equal) return order;
  }
  return Order::equal;
}

}  // namespace

bool is_dpkg(std::string_view text) { return parse(text).has_value(); }

std::optional<std::strong_ordering> compare_dpkg(std::string_view a, std::string_view b) {
  const auto left = parse(a);
  const auto right = parse(b);
  if (!left || !right) return std::nullopt;
  if (const auto order = compare_numbers(left->epoch, right->epoch); order != Order::equal) return order;
  if (const auto order = compare_part(left->upstream, right->upstream); order != Order::equal) return order;
  return compare_part(left->revision, right->revision);
}

}  // namespace slipway::scan::versions
