#include "cli/commands.h"
#include "cli/man.h"

namespace slipway::cli {

CommandSpec man_command() {
  return {.name = "__man",
          .summary = "Print the manual page",
          .hidden = true,
          .needs_settings = false,
          .run = [](const Session& session, const Arguments&) -> CommandResult {
            session.output.write(manual_page(session.commands, session.version));
            return ExitCode::kDone;
          }};
}

}  // namespace slipway::cli
