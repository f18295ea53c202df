#include "cli/commands.h"
#include "cli/completion.h"

namespace slipway::cli {
namespace {

CommandResult completion(const Session& session, const Arguments& arguments) {
  const auto script = completion_script(arguments.at("SHELL"));
  if (session.output.json()) {
    session.output.write_json({{"shell", arguments.at("SHELL")}, {"script", script}});
  } else {
    session.output.write(script);
  }
  return ExitCode::kDone;
}

}  // namespace

CommandSpec completion_command() {
  return {.name = "completion",
          .summary = "Print the completion script of a shell",
          .description = "An installed slipway has its scripts where the shells look for them.",
          .arguments = {{.name = "SHELL", .help = "the shell", .values = {"bash", "zsh", "fish"}}},
          .examples = {"source <(slipway completion bash)", "slipway completion fish | source"},
          .needs_settings = false,
          .run = completion};
}

}  // namespace slipway::cli
