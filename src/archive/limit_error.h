// How every refusal is worded: the entry, the rule, the way out.
#pragma once

#include <string_view>

#include "archive/entry.h"
#include "base/error.h"

namespace slipway::archive {

// `entry` is raw bytes; empty: the archive as a whole. `setting` empty: nothing allows it.
[[nodiscard]] inline Error refusal(std::string_view entry, std::string_view rule, std::string_view detail,
                                   std::string_view setting, std::string_view value) {
  Error error(ErrorKind::kRejected, fmt::format("{}{}: {} (rule {})", entry.empty() ? "the archive" : "entry ",
                                                printable(entry), detail, rule));
  if (setting.empty()) return error;
  return std::move(error).with_hint(fmt::format("{}={} would allow it", setting, value));
}

}  // namespace slipway::archive
