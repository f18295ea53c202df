// The text of `<file>.part.state`; see part_file.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "objects/part_file.h"

namespace slipway::objects {

[[nodiscard]] std::filesystem::path part_path(const std::filesystem::path& file);
[[nodiscard]] std::filesystem::path state_path(const std::filesystem::path& file);

// kInvalid when a name in it cannot be written as JSON.
[[nodiscard]] Result<std::string> encode_part_state(const PartIdentity& identity, const std::vector<ByteRange>& have);
// Nothing when the text is damaged, of another form, of another object, or names bytes outside of it.
[[nodiscard]] std::optional<std::vector<ByteRange>> decode_part_state(std::string_view text,
                                                                      const PartIdentity& identity);

// Replaces the state in one step. Not synced: see part_file.h.
[[nodiscard]] Result<> write_part_state(const std::filesystem::path& file, const std::string& text);
// What stands there; empty when there is none, or it is too big to be one.
[[nodiscard]] std::string read_part_state(const std::filesystem::path& file);
// The state and its half-written successor.
[[nodiscard]] Result<> remove_part_state(const std::filesystem::path& file);

// As sys::system_error(), but what is missing here must not be taken for missing in the bucket: it is kIo, and the next
// try makes it anew.
[[nodiscard]] Error local_error(std::string_view doing, std::string_view path, int error);

// unlink(); no error when there is nothing.
[[nodiscard]] Result<> remove_if_there(const std::filesystem::path& path);

}  // namespace slipway::objects
