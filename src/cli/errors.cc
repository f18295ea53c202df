#include "cli/errors.h"

#include "cli/text.h"

namespace slipway::cli {

ExitCode exit_code_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kInvalid: return ExitCode::kWrongUse;
    case ErrorKind::kCancelled: return ExitCode::kInterrupted;
    default: return ExitCode::kFailed;
  }
}

std::string render_error(const Error& error, bool color) {
  std::string text = paint("slipway:", Style::kRed, color) + " " + printable(error.message());
  if (!error.hint().empty()) text += "\n" + paint("hint:", Style::kCyan, color) + " " + printable(error.hint());
  return text;
}

void report_error(Output& output, const Error& error) {
  if (output.json()) output.write_json({{"error", json_error(error)}});
  output.warn(render_error(error, output.err_look().color));
}

}  // namespace slipway::cli
