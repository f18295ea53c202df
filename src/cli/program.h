// The whole program but for main(): words in, output on descriptors, an exit code out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/environment.h"
#include "sys/clock.h"

namespace slipway::cli {

struct ProgramInput {
  std::vector<std::string> words;  // without the program's name
  Environment environment;
  std::string version;
  int out = 1;
  int err = 2;
  SettingRules rules{};
  ProviderMaker providers{};  // instead of the standard ones
};

// Never throws. SIGPIPE must be ignored by the process.
[[nodiscard]] int run_program(const ProgramInput& input, std::span<const CommandSpec> commands, sys::Clock& clock);

}  // namespace slipway::cli
