// How a command ends: exit codes, and errors told to people and to programs.
#pragma once

#include <string>

#include "base/error.h"
#include "cli/output.h"

namespace slipway::cli {

enum class ExitCode : std::uint8_t {
  kDone = 0,
  kFailed = 1,
  kWrongUse = 2,       // the command line or a setting is wrong: nothing was done
  kVulnerable = 3,     // blocked for what was found in the image
  kInterrupted = 130,  // by a signal; what was begun goes on when the command is run again
};

// For a command that ended with this error: kInvalid is wrong use, kCancelled an interruption.
[[nodiscard]] ExitCode exit_code_of(const Error& error);

// "slipway: MESSAGE" and, when there is one, "hint: HINT". Control characters are escaped.
[[nodiscard]] std::string render_error(const Error& error, bool color);

// To standard error; with --json also {"error": {kind, message, hint}} to standard output.
void report_error(Output& output, const Error& error);

}  // namespace slipway::cli
