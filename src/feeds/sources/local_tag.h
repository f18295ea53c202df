// Internal to feeds/sources: what tells whether a file or folder of this machine has changed.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/error.h"

namespace slipway::feeds {

// The digest of a file's content. Of a folder: a digest of the names, sizes and times of all files in it, since reading
// them for a digest would cost as much as reading them. kNotFound, kPermission and so on, with the path.
[[nodiscard]] Result<std::string> local_tag(const std::filesystem::path& path, const std::stop_token& stop);

// All regular files below a folder, with their paths relative to it, sorted. Links to files count, links to folders are
// not followed.
[[nodiscard]] Result<std::vector<std::filesystem::path>> files_below(const std::filesystem::path& folder);

}  // namespace slipway::feeds
