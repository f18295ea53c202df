#include "cli/program.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "cli/help.h"
#include "cli/parse.h"
#include "cli/text.h"

namespace slipway::cli {
namespace {

LogLevel log_level(const std::string& setting, int verbose) {
  if (verbose >= 2 || setting == "debug") return LogLevel::kDebug;
  if (verbose == 1 || setting == "info") return LogLevel::kInfo;
  return setting == "error" ? LogLevel::kError : LogLevel::kWarn;
}

// The colour is needed to tell of errors in the settings, so it is looked up before they are.
std::string early_color(const ProgramInput& input, const CommandLine* line) {
  std::string color = input.environment.get("SLIPWAY_COLOR").value_or("auto");
  if (line == nullptr) return color;
  for (const auto& given : line->settings) {
    if (given.key == "color") color = given.value;
  }
  return color;
}

class Program {
 public:
  Program(const ProgramInput& input, std::span<const CommandSpec> commands, sys::Clock& clock)
      : input_(input), commands_(commands), clock_(clock) {}

  ExitCode run() {
    auto line = parse_command_line(input_.words, commands_);
    if (!line) {
      Output output(input_.out, input_.err,
                    {.json = asks_for_json(input_.words), .color = early_color(input_, nullptr)}, input_.environment);
      return finish(output, bad_input(std::move(line.error())));
    }
    return run(*line);
  }

 private:
  ExitCode run(const CommandLine& line) {
    OutputOptions options{.json = line.json, .quiet = line.quiet, .color = early_color(input_, &line)};
    if (line.help || line.version || line.command == nullptr) {
      Output output(input_.out, input_.err, options, input_.environment);
      return finish(output, show_help(output, line));
    }
    auto loaded = load(line);
    if (!loaded) {
      Output output(input_.out, input_.err, options, input_.environment);
      return finish(output, bad_input(std::move(loaded.error())));
    }
    options.color = loaded->settings.color;
    Output output(input_.out, input_.err, options, input_.environment);
    return finish(output, run(line, *loaded, output));
  }

  Result<LoadedSettings> load(const CommandLine& line) {
    auto loaded = load_settings(input_.environment, line.settings, line.config_file, input_.rules);
    if (loaded || line.command->needs_settings) return loaded;
    Environment bare;
    bare.root = true;
    return load_settings(bare, {}, std::nullopt);
  }

  CommandResult run(const CommandLine& line, const LoadedSettings& loaded, Output& output) {
    for (const auto& warning : loaded.warnings) output.note("warning: " + printable(warning));
    const auto level = log_level(loaded.settings.log_level, line.verbose);
    const auto least = line.quiet ? std::max(level, LogLevel::kError) : level;
    const Logger log(stderr_sink(least));
    const Session session{input_.environment, loaded,         loaded.settings, output, clock_, log, least,
                          commands_,          input_.version, input_.providers};
    try {
      return line.command->run(session, line.arguments);
    } catch (const std::exception& e) {
      return fail(ErrorKind::kInternal, "{} broke: {}", line.command->name, e.what());
    }
  }

  CommandResult show_help(Output& output, const CommandLine& line) {
    if (line.version && !line.help) {
      if (line.json) {
        output.write_json({{"version", input_.version}});
      } else {
        output.line("slipway " + input_.version);
      }
      return ExitCode::kDone;
    }
    const HelpLook look{output.columns(), output.out_look().color && !line.json};
    if (line.command != nullptr) {
      write_help(output, command_help(*line.command, commands_, look));
      return ExitCode::kDone;
    }
    if (line.help) {
      write_help(output, program_help(commands_, look));
      return ExitCode::kDone;
    }
    if (!line.json) output.warn(program_help(commands_, look));
    return wrong_use("no command was given");
  }

  // What could not be written is a failure too, also of a command that found something (kVulnerable).
  static ExitCode finish(Output& output, CommandResult result) {
    ExitCode code = ExitCode::kDone;
    if (result) {
      code = *result;
    } else {
      report_error(output, result.error().error);
      code = result.error().code;
    }
    auto written = output.finish();
    if (written) return code;
    output.warn(render_error(written.error(), output.err_look().color));
    return result ? ExitCode::kFailed : code;
  }

  const ProgramInput& input_;
  std::span<const CommandSpec> commands_;
  sys::Clock& clock_;
};

}  // namespace

int run_program(const ProgramInput& input, std::span<const CommandSpec> commands, sys::Clock& clock) {
  try {
    return static_cast<int>(Program(input, commands, clock).run());
  } catch (const std::exception& e) {
    (void)write_fully(input.err, fmt::format("slipway: {}\n", printable(e.what())), "standard error");
    return static_cast<int>(ExitCode::kFailed);
  }
}

}  // namespace slipway::cli
