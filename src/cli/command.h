// What a command is, as data: from it come the parser, the help, the man page and the completion.
//
// To add a command: write command_NAME.cc with a function
//
//   CommandSpec frob_command() {
//     return {.name = "frob", .summary = "Frob an image",
//             .options = {{.name = "--depth", .value = "NUMBER", .help = "how deep"}},
//             .arguments = {{.name = "IMAGE", .help = "the image", .completes = Completes::kImages}},
//             .run = frob};
//   }
//
// and name it in commands.h and in the list of commands.cc. A name of two words ("runs show") is a command below
// another.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "cli/environment.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "sys/clock.h"

namespace slipway::feeds {
struct Registration;
}

namespace slipway::cli {

// Makes the providers of the feeds; see feeds/macro_machine.h.
using ProviderMaker = std::function<Result<std::vector<feeds::Registration>>()>;

// What the shell may offer for a value.
enum class Completes : std::uint8_t {
  kNothing,
  kValues,
  kFiles,
  kFolders,
  kImages,
  kRuns,
  kCommands,
  kMachines,
  kProviders,
  kSettings
};

struct OptionSpec {
  std::string name;      // "--limit"
  std::string letter{};  // "-n", or empty
  std::string value{};   // what it takes, for the help: "NUMBER". Empty: it is a switch
  std::string help{};
  std::vector<std::string> values{};  // the only ones allowed; empty: any
  Completes completes = Completes::kNothing;
  bool repeats = false;
};

struct ArgumentSpec {
  std::string name;  // "IMAGE"
  std::string help{};
  std::vector<std::string> values{};
  Completes completes = Completes::kNothing;
  bool required = true;
  bool repeats = false;  // the last one only
};

// The words of the command line that belong to the command, checked against its options and arguments.
class Arguments {
 public:
  void add(const std::string& name, std::string value) { values_[name].push_back(std::move(value)); }

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  // The last one given.
  [[nodiscard]] std::optional<std::string> get(const std::string& name) const;
  // Of an argument that is required.
  [[nodiscard]] const std::string& at(const std::string& name) const { return values_.at(name).back(); }
  [[nodiscard]] std::vector<std::string> all(const std::string& name) const;
  // A number of at least `least`; `fallback` when it was not given.
  [[nodiscard]] Result<std::uint64_t> number(const std::string& name, std::uint64_t fallback,
                                             std::uint64_t least) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

struct CommandSpec;

// All that a command may use. Lives as long as the command runs.
struct Session {
  const Environment& environment;
  const LoadedSettings& loaded;  // `settings` is what most want
  const Settings& settings;
  Output& output;
  sys::Clock& clock;
  const Logger& log;
  LogLevel least_logged;  // what `log` shows
  std::span<const CommandSpec> commands;
  std::string version;
  const ProviderMaker& providers;  // empty: the standard ones
};

struct CommandSpec {
  std::string name;
  std::string summary;        // one line, for lists
  std::string description{};  // more, for its own help; paragraphs are separated by "\n"
  std::vector<OptionSpec> options{};
  std::vector<ArgumentSpec> arguments{};
  std::vector<std::string> examples{};  // whole command lines
  bool hidden = false;
  // A command that helps people out of bad settings must run with them: it is given the defaults.
  bool needs_settings = true;
  // The rest of the line is its one argument's, whatever it looks like. Must be the first word of the line.
  bool takes_raw_words = false;
  std::function<CommandResult(const Session&, const Arguments&)> run{};
};

// The options that every command has, settings aside.
[[nodiscard]] std::span<const OptionSpec> global_options();

[[nodiscard]] const CommandSpec* find_command(std::span<const CommandSpec> commands, std::string_view name);
// Those directly below `name` ("" is the program) that are not hidden.
[[nodiscard]] std::vector<const CommandSpec*> commands_below(std::span<const CommandSpec> commands,
                                                             std::string_view name);

// A wrong command line: ends with exit code 2.
[[nodiscard]] std::unexpected<Failure> wrong_use(std::string message, std::string hint = {});

}  // namespace slipway::cli
