// Help as text, made from the tables of commands and settings.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cli/command.h"

namespace slipway::cli {

struct HelpLook {
  std::size_t columns = 80;
  bool color = false;
};

[[nodiscard]] std::string program_help(std::span<const CommandSpec> commands, const HelpLook& look);
[[nodiscard]] std::string command_help(const CommandSpec& command, std::span<const CommandSpec> commands,
                                       const HelpLook& look);
[[nodiscard]] std::string settings_help(const HelpLook& look);

// To standard output: as it is, or as {"help": TEXT}.
void write_help(Output& output, const std::string& text);

// "slipway runs show [OPTION…] VERSION"
[[nodiscard]] std::string usage_line(const CommandSpec& command);
// The default of a setting, for people: also of those that depend on who runs the program.
[[nodiscard]] std::string default_text(const SettingSpec& spec);

}  // namespace slipway::cli
