#include "scan/inventory/language_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "archive/entry.h"
#include "scan/inventory/file_reader.h"

namespace slipway::scan {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr std::size_t kLongest = 1024;  // of a name or version

// Bytes that are no UTF-8 become question marks; what is too long is cut.
std::string mended(std::string_view text) {
  std::string good;
  while (!text.empty() && good.size() < kLongest) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      good += '?';
    } else {
      good += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return good;
}

}  // namespace

archive::TapSource::Watch at_most(std::uint64_t most) {
  return [most, seen = std::uint64_t{0}](std::span<const std::byte> piece) mutable -> Result<> {
    seen += piece.size();
    if (seen <= most) return {};
    return fail(ErrorKind::kRejected, "it has more than {} bytes, which is all that is read of such a file", most);
  };
}

Result<TextLines> TextLines::read(archive::ByteSource& content, std::uint64_t most) {
  auto text = read_whole(content, most);
  if (!text) return fail(std::move(text.error()));
  if (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF")) {
    return fail(ErrorKind::kUnsupported, "it is UTF-16, and must be UTF-8");
  }
  if (text->find('\0') != std::string::npos) return fail(ErrorKind::kCorrupt, "it has zero bytes, and is no text");
  text->erase(0, text->size() - without_mark(*text).size());
  return TextLines(std::move(*text));
}

std::optional<std::string_view> TextLines::next() {
  if (at_ >= text_.size()) return std::nullopt;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  auto line = std::string_view(text_).substr(at_, end - at_);
  at_ = end + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::string_view take_word(std::string_view& text) {
  const auto rest = trimmed(text);
  const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
  text = rest.substr(end);
  return rest.substr(0, end);
}

bool is_within(std::string_view path, std::string_view folder) {
  for (std::size_t at = path.find(folder); at != std::string_view::npos; at = path.find(folder, at + 1)) {
    const std::size_t end = at + folder.size();
    if ((at == 0 || path[at - 1] == '/') && end < path.size() && path[end] == '/') return true;
  }
  return false;
}

NameAndVersion split_at_sign(std::string_view text) {
  const std::size_t at = text.find('@', 1);
  if (at == std::string_view::npos) return {.name = text};
  return {.name = text.substr(0, at), .version = text.substr(at + 1)};
}

void add_package(Finds& finds, Package package) {
  if (package.name.size() > kLongest || package.version.size() > kLongest) {
    return note_unread(finds, package.name, "its name or version is too long to be one");
  }
  if (!is_utf8(package.name) || !is_utf8(package.version)) {
    return note_unread(finds, package.name, "its name or version is not UTF-8");
  }
  package.licence = mended(package.licence);
  finds.add(std::move(package));
}

Error readable(const Error& error) {
  return is_utf8(error.message()) ? error : Error(error.kind(), archive::printable(error.message()));
}

void note_unread(Finds& finds, std::string_view what, std::string_view reason) {
  finds.unread(fmt::format("{}: {}", archive::printable(what), archive::printable(reason)));
}

}  // namespace slipway::scan
