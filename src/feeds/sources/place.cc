#include "feeds/sources/place.h"

#include <algorithm>

#include "net/http_url.h"

namespace slipway::feeds {
namespace {

constexpr std::string_view kFileScheme = "file://";
constexpr std::string_view kBlanks = " \t\n\r";

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const auto digits = text.substr(i + 1, 2);
    if (digits.size() != 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
      return std::nullopt;
    }
    plain += static_cast<char>(std::stoi(std::string(digits), nullptr, 16));
    i += 2;
  }
  return plain;
}

Result<> check_place(std::string_view place) {
  if (local_path(place)) return {};
  if (place.starts_with("http://") || place.starts_with("https://")) {
    auto checked = net::check_url(place);
    if (!checked) return fail(std::move(checked.error()));
    return {};
  }
  return fail(ErrorKind::kInvalid,
              "\"{}\" is no source: it must be an http or https address, file:///PATH, or an absolute path", place);
}

}  // namespace

std::optional<std::filesystem::path> local_path(std::string_view place) {
  if (place.starts_with('/')) return std::filesystem::path(place);
  if (!place.starts_with(kFileScheme)) return std::nullopt;
  const auto path = percent_decoded(place.substr(kFileScheme.size()));
  if (!path || !path->starts_with('/') || path->find('\0') != std::string::npos) return std::nullopt;
  return std::filesystem::path(*path);
}

Result<std::vector<Part>> parse_parts(std::string_view text) {
  std::vector<Part> parts;
  for (std::size_t at = text.find_first_not_of(kBlanks); at < text.size();) {
    const auto end = std::min(text.find_first_of(kBlanks, at), text.size());
    Part part;
    for (auto rest = text.substr(at, end - at);;) {
      const auto bar = rest.find('|');
      const auto place = rest.substr(0, bar);
      if (auto good = check_place(place); !good) return fail(std::move(good.error()));
      part.places.emplace_back(place);
      if (bar == std::string_view::npos) break;
      rest.remove_prefix(bar + 1);
    }
    parts.push_back(std::move(part));
    at = std::min(text.find_first_not_of(kBlanks, end), text.size());
  }
  return parts;
}

}  // namespace slipway::feeds
