// The manual page, in roff, made from the tables of commands and settings.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace slipway::cli {

[[nodiscard]] std::string manual_page(std::span<const CommandSpec> commands, std::string_view version);

}  // namespace slipway::cli
