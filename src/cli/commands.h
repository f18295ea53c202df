// The commands of the program, one function and one file (command_NAME.cc) each.
#pragma once

#include <span>

#include "cli/command.h"

namespace slipway::cli {

[[nodiscard]] CommandSpec activate_command();
[[nodiscard]] CommandSpec completion_command();
[[nodiscard]] CommandSpec config_command();
[[nodiscard]] CommandSpec deactivate_command();
[[nodiscard]] CommandSpec doctor_command();
[[nodiscard]] CommandSpec feeds_command();
[[nodiscard]] CommandSpec feeds_list_command();
[[nodiscard]] CommandSpec feeds_path_command();
[[nodiscard]] CommandSpec feeds_pause_command();
[[nodiscard]] CommandSpec feeds_resume_command();
[[nodiscard]] CommandSpec feeds_search_command();
[[nodiscard]] CommandSpec feeds_show_command();
[[nodiscard]] CommandSpec feeds_start_command();
[[nodiscard]] CommandSpec feeds_stop_command();
[[nodiscard]] CommandSpec feeds_sync_command();
[[nodiscard]] CommandSpec fetch_command();
[[nodiscard]] CommandSpec help_command();
[[nodiscard]] CommandSpec list_command();
[[nodiscard]] CommandSpec pool_command();
[[nodiscard]] CommandSpec pool_create_command();
[[nodiscard]] CommandSpec pool_destroy_command();
[[nodiscard]] CommandSpec pool_grow_command();
[[nodiscard]] CommandSpec pool_status_command();
[[nodiscard]] CommandSpec process_image_command();
[[nodiscard]] CommandSpec rm_command();
[[nodiscard]] CommandSpec runs_cancel_command();
[[nodiscard]] CommandSpec runs_command();
[[nodiscard]] CommandSpec runs_retry_command();
[[nodiscard]] CommandSpec runs_show_command();
[[nodiscard]] CommandSpec show_command();
[[nodiscard]] CommandSpec scan_command();
[[nodiscard]] CommandSpec worker_command();

// Hidden: for the completion scripts and for the build.
[[nodiscard]] CommandSpec complete_command();
[[nodiscard]] CommandSpec man_command();

// In the order in which help shows them; a command stands after the one that it is below.
[[nodiscard]] std::span<const CommandSpec> all_commands();

}  // namespace slipway::cli
