// slipway.yaml: one map of keys to plain values. Nothing else of YAML is understood: no nesting, lists, anchors, tags
// or second documents, so nothing in the file can grow.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/settings.h"

namespace slipway::cli {

inline constexpr std::size_t kMaxSettingsFile = 1024 * 1024;  // bytes

// The keys and values in their order, with where they stand. `path` is for messages. kInvalid with FILE:LINE:COLUMN for
// everything that is not as above. Whether a key is known is not looked at.
[[nodiscard]] Result<std::vector<GivenSetting>> parse_settings_yaml(std::string_view text, const std::string& path);

// kNotFound when there is no such file.
[[nodiscard]] Result<std::vector<GivenSetting>> read_settings_file(const std::filesystem::path& path);

}  // namespace slipway::cli
