// Texts in which capital and small letters are the same.
#pragma once

#include <string>
#include <string_view>

namespace slipway::scan {

// ASCII letters; every other byte stays.
[[nodiscard]] std::string small_letters(std::string_view text);
// Whether they are the same then.
[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);

}  // namespace slipway::scan
