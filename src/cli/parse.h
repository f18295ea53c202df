// The command line, taken apart. The only part that knows the library for it (CLI11).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "cli/settings.h"

namespace slipway::cli {

struct CommandLine {
  const CommandSpec* command = nullptr;  // null: none was named
  Arguments arguments;                   // of the command
  std::vector<GivenSetting> settings;    // given by flags, in order
  std::optional<std::string> config_file;
  bool help = false;
  bool version = false;
  bool json = false;
  bool quiet = false;
  int verbose = 0;
};

// `words` is without the program's name. Options that hold for every command may stand before or after its name. A
// wrong line is kInvalid: the message names the word, the hint the nearest right one.
[[nodiscard]] Result<CommandLine> parse_command_line(std::span<const std::string> words,
                                                     std::span<const CommandSpec> commands);

// Whether --json is among the words, for telling of errors before the line is understood.
[[nodiscard]] bool asks_for_json(std::span<const std::string> words);

}  // namespace slipway::cli
