// YAML as JSON text, so that one reader serves both forms of a record.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace slipway::feeds {

// The first document of `yaml`. Plain scalars that spell null, true, false or a number become such, as in YAML's core
// schema; all others are strings. kCorrupt, with the line: no YAML, an alias (a few bytes may stand for gigabytes),
// keys that are not scalars, or nesting that is too deep.
[[nodiscard]] Result<std::string> yaml_to_json(std::string_view yaml);

}  // namespace slipway::feeds
