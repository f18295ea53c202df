// One setting at a time: from text into its member of Settings, and back.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/settings.h"

namespace slipway::cli {

// Parses `text` by the kind of the setting and puts it in its place. kInvalid with the rule that it breaks. A relative
// path is taken from `base`, one that begins with ~/ from `home`.
[[nodiscard]] Result<> assign_setting(Settings& settings, const SettingSpec& spec, std::string_view text,
                                      const std::filesystem::path& base, const std::string& home);

// The shortest exact way to write what is set: "10GiB", "5m", "true".
[[nodiscard]] std::string setting_text(const Settings& settings, const SettingSpec& spec);

}  // namespace slipway::cli
