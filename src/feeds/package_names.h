// The names under which the packages of advisories are kept, whoever published them: the scanner asks by these.
// Pure functions, safe from any thread.
#pragma once

#include <string>
#include <string_view>

namespace slipway::feeds {

// "Maven" of "Maven:https://repo.example.org/": which repository a language's package is from is not asked. The
// releases of distributions stay ("Debian:12"), and so does what has none ("Debian").
[[nodiscard]] std::string asked_ecosystem(std::string_view published);

// As the ecosystem's own tools compare names: of PyPI by PEP 503 ("jw-util" of "jw.util"), of Packagist in lower case;
// all others are as they are published.
[[nodiscard]] std::string asked_name(std::string_view ecosystem, std::string_view published);

}  // namespace slipway::feeds
