#include "cli/commands.h"
#include "cli/help.h"
#include "cli/suggest.h"

namespace slipway::cli {
namespace {

CommandResult help(const Session& session, const Arguments& arguments) {
  const HelpLook look{session.output.columns(), session.output.out_look().color && !session.output.json()};
  const auto words = arguments.all("COMMAND");
  const auto name = fmt::format("{}", fmt::join(words, " "));
  if (name.empty()) {
    write_help(session.output, program_help(session.commands, look));
  } else if (name == "settings") {
    write_help(session.output, settings_help(look));
  } else if (const auto* command = find_command(session.commands, name)) {
    write_help(session.output, command_help(*command, session.commands, look));
  } else {
    std::vector<std::string> known{"settings"};
    for (const auto& one : session.commands) {
      if (!one.hidden) known.push_back(one.name);
    }
    const auto near = nearest(name, known);
    return wrong_use(
        fmt::format("there is no command {}", name),
        near ? fmt::format("did you mean `slipway help {}`?", *near) : "`slipway help` lists the commands");
  }
  return ExitCode::kDone;
}

}  // namespace

CommandSpec help_command() {
  return {.name = "help",
          .summary = "Show help for the program, a command or the settings",
          .arguments = {{.name = "COMMAND",
                         .help = "a command, or: settings",
                         .completes = Completes::kCommands,
                         .required = false,
                         .repeats = true}},
          .examples = {"slipway help runs show", "slipway help settings"},
          .needs_settings = false,
          .run = help};
}

}  // namespace slipway::cli
