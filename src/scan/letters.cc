#include "scan/letters.h"

#include <algorithm>

namespace slipway::scan {
namespace {

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace

std::string small_letters(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), small_letter);
  return out;
}

bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::ranges::equal(a, b, {}, small_letter, small_letter);
}

}  // namespace slipway::scan
