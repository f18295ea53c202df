#include "cli/commands.h"

#include <vector>

namespace slipway::cli {

std::span<const CommandSpec> all_commands() {
  static const std::vector<CommandSpec> commands{
      fetch_command(),        process_image_command(), list_command(),        show_command(),
      activate_command(),     deactivate_command(),    rm_command(),          doctor_command(),
      pool_command(),         pool_status_command(),   pool_create_command(), pool_grow_command(),
      pool_destroy_command(), worker_command(),        runs_command(),        runs_show_command(),
      runs_cancel_command(),  runs_retry_command(),    config_command(),      completion_command(),
      help_command(),         complete_command(),      man_command(),
  };
  return commands;
}

}  // namespace slipway::cli
