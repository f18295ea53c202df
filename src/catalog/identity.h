// How things made of an image are named and numbered. All of it follows from the image's id alone, so that the same
// image always gets the same names.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "catalog/types.h"

namespace slipway::catalog {

// An image's id becomes part of file and device names: 1 to 128 of A-Z a-z 0-9 . _ - and not beginning with '.' or '-'.
// kInvalid says what is wrong.
[[nodiscard]] Result<> check_image_id(std::string_view image_id);
// The same rule for a snapshot's name.
[[nodiscard]] Result<> check_snapshot_name(std::string_view name);

// The id of an image that was not given one: what can be read of the key's last segment (without .tar
// and the like), and 12 hex digits of the
// SHA-256 of bucket and key. Never the same for two objects.
[[nodiscard]] std::string derive_image_id(std::string_view bucket, std::string_view key);

// "thin-" and 8 hex digits.
[[nodiscard]] std::string volume_name(std::string_view image_id);
[[nodiscard]] std::string default_snapshot_name(std::string_view image_id);  // "snap-<image_id>"

// Where the search for a free device id begins.
[[nodiscard]] DeviceId first_volume_id(std::string_view image_id);
[[nodiscard]] DeviceId first_snapshot_id(std::string_view image_id, std::string_view snapshot_name);

}  // namespace slipway::catalog
