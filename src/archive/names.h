// Names in archives are bytes that somebody else chose: taken apart and measured here, without a look at any tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/policy.h"

namespace slipway::archive {

// A name taken apart. `..` is worked out on the name alone: `a/../b` is `b`.
struct PlainName {
  std::vector<std::string_view> parts{};  // of the text it was made from; empty: the root itself
  bool absolute = false;
  bool leaves_root = false;  // some `..` had nothing to take away
  std::string_view bad{};    // not empty: why no file can be called so
};

[[nodiscard]] PlainName take_apart(std::string_view name);

// Whether a symbolic link that stands `depth` folders below the root leads out of it, by its text alone.
[[nodiscard]] bool leads_out(std::string_view target, std::size_t depth);

// Not empty: why this cannot be the target of a symbolic link.
[[nodiscard]] std::string_view bad_target(std::string_view target);

// What a name says about lower layers.
enum class WhiteoutForm : std::uint8_t {
  kNone,      // an ordinary name
  kHides,     // .wh.NAME: NAME of lower layers is gone
  kOpaque,    // .wh..wh..opq: all that lower layers have in this folder is gone
  kReserved,  // .wh..wh.…, something below a .wh. name, .wh. of no name: means nothing to us
};
[[nodiscard]] WhiteoutForm whiteout_form(const std::vector<std::string_view>& parts);
// NAME of .wh.NAME.
[[nodiscard]] std::string_view hidden_name(std::string_view last_part);

}  // namespace slipway::archive
