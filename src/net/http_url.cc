#include "net/http_url.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/number.h"
#include "net/headers.h"

namespace slipway::net {
namespace {

struct Parts {
  std::string_view scheme{};
  std::string_view authority{};
  std::string_view rest{};  // path, query and fragment
};

Parts split(std::string_view url) {
  const auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return {.rest = url};
  const auto after = url.substr(scheme_end + 3);
  const auto authority_end = std::min(after.find_first_of("/?#"), after.size());
  return {.scheme = url.substr(0, scheme_end),
          .authority = after.substr(0, authority_end),
          .rest = after.substr(authority_end)};
}

bool printable(char c) { return c > ' ' && c < '\x7F'; }

// The place of the colon before the port; npos when there is none. A colon inside [::1] is not one.
std::size_t port_colon(std::string_view authority) {
  const auto colon = authority.rfind(':');
  if (colon == std::string_view::npos) return colon;
  const auto bracket = authority.rfind(']');
  return bracket != std::string_view::npos && bracket > colon ? std::string_view::npos : colon;
}

Result<std::string> origin_key(const Parts& parts, bool secure, std::string_view url) {
  const auto colon = port_colon(parts.authority);
  std::string_view host = parts.authority.substr(0, colon);
  std::uint64_t port = secure ? 443 : 80;
  if (colon != std::string_view::npos && colon + 1 < parts.authority.size()) {
    const auto given = parse_number<std::uint64_t>(parts.authority.substr(colon + 1));
    if (!given || *given == 0 || *given > 65535) {
      return fail(ErrorKind::kInvalid, "URL {}: the port must be a number from 1 to 65535", printable_url(url));
    }
    port = *given;
  }
  if (host.empty()) return fail(ErrorKind::kInvalid, "URL {}: it names no host", printable_url(url));
  return fmt::format("{}://{}:{}", secure ? "https" : "http", to_lower(host), port);
}

bool may_hold_secrets(std::string_view query) {
  static constexpr std::array<std::string_view, 7> kSigns = {"x-amz-",   "signature",  "token",         "secret",
                                                             "password", "credential", "awsaccesskeyid"};
  const auto small = to_lower(query);
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return small.contains(sign); });
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string first_set(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto value = environment(name); !value.empty()) return value;
  }
  return {};
}

}  // namespace

Result<Origin> check_url(std::string_view url) {
  if (!std::ranges::all_of(url, printable)) {
    return fail(ErrorKind::kInvalid, "URL {}: blanks, control bytes and bytes above ASCII must be percent-encoded",
                printable_url(url));
  }
  const auto parts = split(url);
  const bool secure = equal_ignoring_case(parts.scheme, "https");
  if (!secure && !equal_ignoring_case(parts.scheme, "http")) {
    return fail(ErrorKind::kInvalid, "URL {}: it must begin with http:// or https://", printable_url(url));
  }
  if (parts.authority.contains('@')) {
    return fail(ErrorKind::kInvalid, "URL {}: a user name or password in a URL is not sent; use a header",
                printable_url(url));
  }
  if (parts.rest.contains('#')) {
    return fail(ErrorKind::kInvalid, "URL {}: a fragment (#) is never sent; write %23 for the sign itself",
                printable_url(url));
  }
  auto key = origin_key(parts, secure, url);
  if (!key) return fail(key.error());
  return Origin{.secure = secure, .key = std::move(*key)};
}

std::string printable_url(std::string_view url) {
  const auto parts = split(url);
  std::string_view authority = parts.authority;
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  std::string_view rest = parts.rest.substr(0, parts.rest.find('#'));
  std::string_view query;
  if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
    query = rest.substr(mark);
    rest = rest.substr(0, mark);
  }
  std::string out = parts.scheme.empty() ? std::string() : fmt::format("{}://{}", parts.scheme, authority);
  out += rest;
  out += may_hold_secrets(query) ? "?..." : query;
  std::ranges::replace_if(out, [](char c) { return !printable(c); }, '?');
  return out;
}

ProxySettings ProxySettings::from_environment() {
  return {.http = first_set({"http_proxy", "all_proxy", "ALL_PROXY"}),
          .https = first_set({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}),
          .no_proxy = first_set({"no_proxy", "NO_PROXY"})};
}

}  // namespace slipway::net
