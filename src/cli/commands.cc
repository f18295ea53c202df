#include "cli/commands.h"

#include <vector>

namespace slipway::cli {

std::span<const CommandSpec> all_commands() {
  static const std::vector<CommandSpec> commands{
      fetch_command(),      process_image_command(), list_command(),        show_command(),
      scan_command(),       activate_command(),      deactivate_command(),  rm_command(),
      doctor_command(),     pool_command(),          pool_status_command(), pool_create_command(),
      pool_grow_command(),  pool_destroy_command(),  worker_command(),      runs_command(),
      runs_show_command(),  runs_cancel_command(),   runs_retry_command(),  feeds_command(),
      feeds_list_command(), feeds_sync_command(),    feeds_show_command(),  feeds_search_command(),
      feeds_path_command(), feeds_start_command(),   feeds_pause_command(), feeds_resume_command(),
      feeds_stop_command(), config_command(),        completion_command(),  help_command(),
      complete_command(),   man_command(),
  };
  return commands;
}

}  // namespace slipway::cli
