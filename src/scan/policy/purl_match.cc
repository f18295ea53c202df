#include "scan/policy/purl_match.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/number.h"
#include "scan/policy/small_text.h"

namespace slipway::scan {
namespace {

// Where the specification of the type has names without difference between capital and small letters.
constexpr std::array<std::string_view, 9> kWithoutCase{"apk",    "bitbucket", "composer", "deb", "github",
                                                       "golang", "oci",       "pypi",     "rpm"};

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    const auto digits = text.substr(at + 1, 2);
    const auto byte = digits.size() == 2 ? parse_number<unsigned char>(digits, 16) : std::nullopt;
    if (!byte) return std::nullopt;
    out += static_cast<char>(*byte);
    at += 2;
  }
  return out;
}

// What stands behind the last `mark`, taken off `text`; empty where there is none.
std::string_view take_behind(std::string_view& text, char mark) {
  const auto at = text.rfind(mark);
  if (at == std::string_view::npos) return {};
  const auto behind = text.substr(at + 1);
  text = text.substr(0, at);
  return behind;
}

bool read_qualifiers(std::string_view text, PurlParts& parts) {
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const auto value = percent_decoded(pair.substr(equals + 1));
    if (!value) return false;
    if (!value->empty()) parts.qualifiers.emplace(small_letters(pair.substr(0, equals)), *value);
  }
  return true;
}

bool read_space(std::string_view text, PurlParts& parts) {
  while (!text.empty()) {
    const auto part = text.substr(0, text.find('/'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto decoded = percent_decoded(part);
    if (!decoded) return false;
    if (decoded->empty()) continue;
    if (!parts.space.empty()) parts.space += '/';
    parts.space += *decoded;
  }
  return true;
}

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
  constexpr std::string_view kScheme = "pkg:";
  if (small_letters(text.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  text.remove_prefix(kScheme.size());
  text.remove_prefix(std::min(text.find_first_not_of('/'), text.size()));
  (void)take_behind(text, '#');
  PurlParts parts;
  if (!read_qualifiers(take_behind(text, '?'), parts)) return std::nullopt;
  while (text.ends_with('/')) text.remove_suffix(1);

  const auto slash = text.find('/');
  if (slash == 0 || slash == std::string_view::npos) return std::nullopt;
  parts.type = small_letters(text.substr(0, slash));
  text.remove_prefix(slash + 1);
  auto last = text.substr(text.find_last_of('/') + 1);  // npos + 1 is 0
  const auto space = text.substr(0, text.size() - last.size());
  // A sign in front is a part of the name: "pkg:npm/@babel" without a version.
  const auto version = last.rfind('@') != 0 ? take_behind(last, '@') : std::string_view{};

  auto name = percent_decoded(last);
  auto decoded_version = percent_decoded(version);
  if (!name || name->empty() || !decoded_version || !read_space(space, parts)) return std::nullopt;
  parts.name = std::move(*name);
  parts.version = std::move(*decoded_version);
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
