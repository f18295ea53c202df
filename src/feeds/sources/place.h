// Where the data of a feed is: in one or more parts, each of which may be had at several places.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace slipway::feeds {

// One part of a source: the same data at each place, which are tried in order. A place is an address (http, https), a
// file or folder as file:///PATH, or an absolute path.
struct Part {
  std::vector<std::string> places{};

  friend bool operator==(const Part&, const Part&) = default;
};

// "PLACE|MIRROR PLACE2": parts are separated by blanks, the places of one by '|'. kInvalid, with the place and the
// rule.
[[nodiscard]] Result<std::vector<Part>> parse_parts(std::string_view text);

// Where a place is a file or a folder of this machine.
[[nodiscard]] std::optional<std::filesystem::path> local_path(std::string_view place);

}  // namespace slipway::feeds
