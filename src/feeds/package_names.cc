#include "feeds/package_names.h"

#include <algorithm>
#include <array>

namespace slipway::feeds {
namespace {

constexpr auto kLanguages =
    std::to_array<std::string_view>({"npm", "PyPI", "Go", "Maven", "RubyGems", "crates.io", "Packagist"});

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string python_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool dash = c == '-' || c == '_' || c == '.';
    if (dash && out.ends_with('-')) continue;
    out += dash ? '-' : lower(c);
  }
  return out;
}

}  // namespace

std::string asked_ecosystem(std::string_view published) {
  const auto plain = published.substr(0, published.find(':'));
  const bool language = std::ranges::find(kLanguages, plain) != kLanguages.end();
  return std::string(language ? plain : published);
}

std::string asked_name(std::string_view ecosystem, std::string_view published) {
  if (ecosystem == "PyPI") return python_name(published);
  std::string name(published);
  if (ecosystem == "Packagist") std::ranges::transform(name, name.begin(), lower);
  return name;
}

}  // namespace slipway::feeds
