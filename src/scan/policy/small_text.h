// The texts that people write rules in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace slipway::scan {

// ASCII letters; every other byte stays.
[[nodiscard]] std::string small_letters(std::string_view text);
// Whether they are the same then.
[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);

// The whole of a file, or of whatever the path names that can be read. kInvalid when it has more than `most` bytes.
[[nodiscard]] Result<std::string> read_rules(const std::filesystem::path& file, std::uint64_t most);

}  // namespace slipway::scan
