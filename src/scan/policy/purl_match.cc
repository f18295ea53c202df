#include "scan/policy/purl_match.h"

#include <algorithm>
#include <array>
#include <utility>

#include "scan/letters.h"
#include "scan/reports/package_url.h"

namespace slipway::scan {
namespace {

// Where the specification of the type has names without difference between capital and small letters.
constexpr std::array<std::string_view, 9> kWithoutCase{"apk",    "bitbucket", "composer", "deb", "github",
                                                       "golang", "oci",       "pypi",     "rpm"};

// A run of dots, dashes and underlines is one dash.
std::string python_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool mark = c == '-' || c == '_' || c == '.';
    if (!mark) {
      out += c;
    } else if (!out.ends_with('-')) {
      out += '-';
    }
  }
  return out;
}

void fold(PurlParts& parts) {
  if (std::ranges::find(kWithoutCase, parts.type) != kWithoutCase.end()) {
    parts.space = small_letters(parts.space);
    parts.name = small_letters(parts.name);
  }
  if (parts.type == "pypi") parts.name = python_name(parts.name);
  if (parts.type == "golang" && parts.version.starts_with('v')) parts.version.erase(0, 1);
}

}  // namespace

std::optional<PurlParts> split_purl(std::string_view text) {
  auto url = parse_package_url(text);
  if (!url) return std::nullopt;
  PurlParts parts{.type = std::move(url->type),
                  .space = std::move(url->space),
                  .name = std::move(url->name),
                  .version = std::move(url->version),
                  .qualifiers = std::move(url->qualifiers)};
  fold(parts);
  return parts;
}

bool covers(const PurlParts& stated, const PurlParts& actual) {
  if (stated.type != actual.type || stated.space != actual.space || stated.name != actual.name) return false;
  if (!stated.version.empty() && stated.version != actual.version) return false;
  return std::ranges::all_of(stated.qualifiers, [&](const auto& qualifier) {
    const auto found = actual.qualifiers.find(qualifier.first);
    return found != actual.qualifiers.end() && found->second == qualifier.second;
  });
}

}  // namespace slipway::scan
