#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "scan/reports/distribution_names.h"
#include "scan/reports/package_url.h"
#include "scan/reports/percent.h"

namespace slipway::scan {
namespace {

constexpr std::size_t kLongest = 65536;  // longer ones come from nobody

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_type(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-';
  };
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::ranges::all_of(text, allowed);
}

// What is after the last `mark`, which is cut off with it; empty when there is none.
std::string_view cut_back(std::string_view& text, char mark) {
  const auto at = text.rfind(mark);
  if (at == std::string_view::npos) return {};
  const auto tail = text.substr(at + 1);
  text = text.substr(0, at);
  return tail;
}

// Cuts the version off. An @ that begins a part is a scope's: "npm/@babel/core".
std::string_view cut_version(std::string_view& text) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || text[at - 1] == '/') return {};
  return cut_back(text, '@');
}

Result<std::string> decode(std::string_view text) {
  auto decoded = percent_decode(text);
  if (!decoded) return fail(ErrorKind::kCorrupt, "a package URL has a % that encodes nothing");
  if (!is_utf8(*decoded)) return fail(ErrorKind::kCorrupt, "a package URL is not UTF-8");
  return std::move(*decoded);
}

// "a//b%20c/" is "a/b c".
Result<std::string> decode_parts(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part.empty()) continue;
    const auto decoded = decode(part);
    if (!decoded) return fail(decoded.error());
    if (!out.empty()) out += '/';
    out += *decoded;
  }
  return out;
}

Result<> decode_qualifiers(std::string_view text, PackageUrl& url) {
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == pair.size()) continue;
    auto key = decode(pair.substr(0, equals));
    if (!key) return fail(std::move(key.error()));
    auto value = decode(pair.substr(equals + 1));
    if (!value) return fail(std::move(value.error()));
    url.qualifiers.emplace(lower(*key), std::move(*value));
  }
  return {};
}

Result<> assign(std::string& to, Result<std::string> decoded) {
  if (!decoded) return fail(std::move(decoded.error()));
  to = std::move(*decoded);
  return {};
}

std::string full_name(const PackageUrl& url, PackageType type) {
  if (url.space.empty() || is_of_distribution(type)) return url.name;
  return fmt::format("{}{}{}", url.space, type == PackageType::kMaven ? ':' : '/', url.name);
}

}  // namespace

std::string_view PackageUrl::qualifier(std::string_view key) const {
  const auto found = qualifiers.find(key);
  return found == qualifiers.end() ? std::string_view() : found->second;
}

Result<PackageUrl> parse_package_url(std::string_view text) {
  if (text.size() > kLongest) return fail(ErrorKind::kCorrupt, "a package URL is longer than {} bytes", kLongest);
  if (lower(text.substr(0, 4)) != "pkg:") return fail(ErrorKind::kCorrupt, "a package URL must begin with pkg:");
  text.remove_prefix(4);
  PackageUrl url;
  if (auto done = assign(url.subpath, decode_parts(cut_back(text, '#'))); !done) return fail(done.error());
  if (auto done = decode_qualifiers(cut_back(text, '?'), url); !done) return fail(done.error());
  while (text.starts_with('/')) text.remove_prefix(1);
  url.type = lower(text.substr(0, text.find('/')));
  if (!is_type(url.type)) return fail(ErrorKind::kCorrupt, "a package URL has no type");
  text.remove_prefix(std::min(url.type.size() + 1, text.size()));
  if (auto done = assign(url.version, decode(cut_version(text))); !done) return fail(done.error());
  while (text.ends_with('/')) text.remove_suffix(1);
  const auto slash = text.rfind('/');
  const auto name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (auto done = assign(url.name, decode(name)); !done) return fail(done.error());
  if (url.name.empty()) return fail(ErrorKind::kCorrupt, "a package URL has no name");
  text.remove_suffix(name.size());
  if (auto done = assign(url.space, decode_parts(text)); !done) return fail(done.error());
  return url;
}

Package package_of(const PackageUrl& url) {
  Package package;
  package.type = url.type == "other" ? PackageType::kOther : parse_package_type(url.type).value_or(PackageType::kOther);
  package.name = full_name(url, package.type);
  package.version = url.version;
  package.architecture = url.qualifier("arch");
  const bool goes = package.type == PackageType::kGolang && package.version.size() > 1 && package.version[0] == 'v';
  if (goes && package.version[1] >= '0' && package.version[1] <= '9') package.version.erase(0, 1);
  // Go's library, as makers of SBOMs call it: "std@go1.21.0", "std@v1.21.0".
  if (package.type == PackageType::kGolang && package.name == "std") {
    package.name = "stdlib";
    if (package.version.starts_with("go")) package.version.erase(0, 2);
  }
  const auto epoch = url.qualifier("epoch");
  const bool takes_epoch = package.type == PackageType::kRpm || package.type == PackageType::kDeb;
  if (takes_epoch && !epoch.empty() && epoch != "0" && !package.version.contains(':')) {
    package.version = fmt::format("{}:{}", epoch, package.version);
  }
  return package;
}

std::optional<Distribution> distribution_of(const PackageUrl& url) {
  const auto type = parse_package_type(url.type);
  auto distro = url.qualifier("distro");
  if (!type || !is_of_distribution(*type) || distro.empty()) return std::nullopt;
  Distribution found;
  const auto dash = distro.rfind('-');
  if (dash != std::string_view::npos && dash > 0) {
    found.id = distribution_id(distro.substr(0, dash));
    distro.remove_prefix(dash + 1);
  } else {
    found.id = distribution_id(url.space);
  }
  if (found.id.empty()) return std::nullopt;
  const bool numbered = !distro.empty() && distro[0] >= '0' && distro[0] <= '9';
  (numbered ? found.version : found.codename) = distro;
  return found;
}

}  // namespace slipway::scan
