// Text from outside, made safe and measured for a terminal. Columns, not bytes: a wide letter takes two, a combining
// one none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cli {

// The same text with everything that could move a cursor or mislead a reader written out: control bytes and bytes that
// are not UTF-8 as \x1b, invisible and direction-changing characters as \u{202e}.
// Line feeds are written out too: a cell or a message is one line.
[[nodiscard]] std::string printable(std::string_view text);

// The same text as valid UTF-8 for JSON: bytes that are not become \xNN. Text that is UTF-8 is left alone.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// Columns of a printable text.
[[nodiscard]] std::size_t display_width(std::string_view printable_text);

enum class Cut : bool { kEnd, kMiddle };
// At most `width` columns: what does not fit is replaced by `mark` (an ellipsis), at the end or in the middle.
[[nodiscard]] std::string shorten(std::string_view printable_text, std::size_t width, std::string_view mark,
                                  Cut where = Cut::kEnd);

// Padded with spaces to `width` columns; a longer text is left as it is.
[[nodiscard]] std::string pad_right(std::string_view printable_text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view printable_text, std::size_t width);

// Lines of at most `width` columns, broken at spaces; a word that is longer stands alone. "\n" begins a new line.
[[nodiscard]] std::vector<std::string> wrap(std::string_view printable_text, std::size_t width);

}  // namespace slipway::cli
