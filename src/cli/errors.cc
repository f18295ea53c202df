#include "cli/errors.h"

#include "cli/text.h"

namespace slipway::cli {

std::unexpected<Failure> bad_input(Error error) {
  const ExitCode code = error.kind() == ErrorKind::kInvalid ? ExitCode::kWrongUse : ExitCode::kFailed;
  return std::unexpected(Failure(std::move(error), code));
}

std::unexpected<Failure> interrupted(Error error) {
  return std::unexpected(Failure(std::move(error), ExitCode::kInterrupted));
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
