// What curl says went wrong, as an Error: one place that says which code is of which kind.
#pragma once

#include <string_view>

#include <curl/curl.h>

#include "base/error.h"

namespace slipway::net {

// `doing` is the method and the URL; `detail` is curl's own sentence, or empty. `ca_file` is for the hint.
[[nodiscard]] Error curl_error(CURLcode code, std::string_view doing, std::string_view detail,
                               std::string_view ca_file);

}  // namespace slipway::net
