// How a command ends: exit codes, and errors told to people and to programs.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

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

// How a command ends that did not do what it was asked to. An error by itself is a failure, whatever its kind: that an
// image is kInvalid or a run kCancelled says nothing about the command line, nor about this process. Who knows that the
// user's own words were wrong, or that this process was interrupted, says so.
struct [[nodiscard]] Failure {
  Failure(Error what, ExitCode with = ExitCode::kFailed)  // NOLINT(google-explicit-constructor): what most errors are
      : error(std::move(what)), code(with) {}

  template <class... Args>
  [[nodiscard]] std::unexpected<Failure> during(fmt::format_string<Args...> doing, Args&&... args) const {
    return std::unexpected(Failure(error.during(doing, std::forward<Args>(args)...).error(), code));
  }

  Error error;
  ExitCode code;
};

using CommandResult = std::expected<ExitCode, Failure>;

// Of something that was checked for being what the user may say: kInvalid is wrong use, all else a failure.
[[nodiscard]] std::unexpected<Failure> bad_input(Error error);
// This process was told to stop.
[[nodiscard]] std::unexpected<Failure> interrupted(Error error);

// "slipway: MESSAGE" and, when there is one, "hint: HINT". Control characters are escaped.
[[nodiscard]] std::string render_error(const Error& error, bool color);

// To standard error; with --json also {"error": {kind, message, hint}} to standard output.
void report_error(Output& output, const Error& error);

}  // namespace slipway::cli
