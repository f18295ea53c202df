#include "scan/inventory/lines.h"

#include <algorithm>
#include <utility>

namespace slipway::scan {
namespace {

constexpr bool is_printable(char c) { return c >= ' ' && c <= '~'; }

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

Result<std::optional<std::string_view>> Lines::next() {
  if (std::exchange(given_, false)) kept_.clear();
  for (;;) {
    if (rest_.empty()) {
      const auto more = fetch();
      if (!more) return fail(more.error());
      if (!*more) return kept_.empty() ? std::optional<std::string_view>() : give_kept();
    }
    const std::size_t end = rest_.find('\n');
    const std::string_view part = rest_.substr(0, end);
    if (part.size() > limits_.line - kept_.size()) {
      return fail(ErrorKind::kRejected, "a line has more than {} bytes", limits_.line);
    }
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (end != std::string_view::npos && kept_.empty()) return without_return(part);
    kept_ += part;
    if (end != std::string_view::npos) return give_kept();
  }
}

std::optional<std::string_view> Lines::give_kept() {
  given_ = true;
  return without_return(kept_);
}

Result<bool> Lines::fetch() {
  const auto piece = content_.next();
  if (!piece) return fail(piece.error());
  seen_ += piece->size();
  if (seen_ > limits_.file) {
    return fail(ErrorKind::kRejected, "it has more than {} bytes, which is all that is read of such a file",
                limits_.file);
  }
  rest_ = {reinterpret_cast<const char*>(piece->data()), piece->size()};
  return !rest_.empty();
}

bool is_word(std::string_view text) {
  constexpr std::size_t kLongest = 512;
  return !text.empty() && text.size() <= kLongest &&
         std::ranges::all_of(text, [](char c) { return is_printable(c) && c != ' '; });
}

std::string plain_text(std::string_view text) {
  constexpr std::size_t kLongest = 4096;
  std::string plain(text.substr(0, kLongest));
  std::ranges::replace_if(plain, [](char c) { return !is_printable(c); }, '?');
  return plain;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace slipway::scan
