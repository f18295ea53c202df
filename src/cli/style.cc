#include "cli/style.h"

#include <fmt/format.h>

namespace slipway::cli {

std::string paint(std::string_view text, Style style, bool color) {
  if (!color || style == Style::kPlain || text.empty()) return std::string(text);
  int code = 0;
  switch (style) {
    case Style::kPlain: break;
    case Style::kBold: code = 1; break;
    case Style::kDim: code = 2; break;
    case Style::kRed: code = 31; break;
    case Style::kGreen: code = 32; break;
    case Style::kYellow: code = 33; break;
    case Style::kCyan: code = 36; break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace slipway::cli
