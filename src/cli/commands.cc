#include "cli/commands.h"

#include <vector>

namespace slipway::cli {

std::span<const CommandSpec> all_commands() {
  static const std::vector<CommandSpec> commands{
      list_command(),       show_command(), runs_command(),     runs_show_command(), config_command(),
      completion_command(), help_command(), complete_command(), man_command(),
  };
  return commands;
}

}  // namespace slipway::cli
