// What the client must know of a URL before it hands it to curl, and which proxy it goes through.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace slipway::net {

struct Origin {
  bool secure = false;
  std::string key{};  // scheme, host and port in one spelling: what connections are counted by
};

// Takes http and https URLs that can be sent as they stand: a host, no user name or password, no fragment, and only
// printable ASCII without blanks. kInvalid otherwise.
[[nodiscard]] Result<Origin> check_url(std::string_view url);

// For messages: without user name, password and fragment, without control bytes, and with "?..." for a query that may
// hold secrets (signatures, tokens, credentials).
[[nodiscard]] std::string printable_url(std::string_view url);

// As curl reads them: http_proxy (in small letters only: a CGI program's caller sets HTTP_PROXY), https_proxy,
// all_proxy, no_proxy. Empty: none.
struct ProxySettings {
  std::string http{};
  std::string https{};
  std::string no_proxy{};

  [[nodiscard]] static ProxySettings from_environment();
};

}  // namespace slipway::net
