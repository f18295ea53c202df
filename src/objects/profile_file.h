// The files of ~/.aws: sections in brackets, `name = value` below them, comments after # or ;.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "objects/credentials.h"

namespace slipway::objects {

using ProfileFile = std::map<std::string, std::map<std::string, std::string>>;

// Section names as they stand ("profile dev"), names in lower case. kInvalid with the number of a line that is neither;
// the line itself is not shown: it may hold a secret.
[[nodiscard]] Result<ProfileFile> parse_profile_file(std::string_view text);

// Steps 2 and 3 of the chain. Nothing: look further.
[[nodiscard]] Result<std::optional<ResolvedCredentials>> credentials_from_environment(const Environment& environment);
[[nodiscard]] Result<std::optional<ResolvedCredentials>> credentials_from_files(const Environment& environment,
                                                                                const std::filesystem::path& home);

}  // namespace slipway::objects
