// What people type as what FTS5 understands. Whatever they type: none of it is taken for FTS5's own syntax.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace slipway::feeds {

// Words and "phrases", of which each must occur; a word that ends in * is the beginning of one. kInvalid: there is
// nothing in it to look for, or there are too many words.
[[nodiscard]] Result<std::string> match_expression(std::string_view text);

// For the one phrase that `text` is, in names only. None: it has no letters and no digits.
[[nodiscard]] std::optional<std::string> name_phrase(std::string_view text);

}  // namespace slipway::feeds
