#include "archive/header_window.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "archive/entry.h"
#include "base/number.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kSizeAt = 124;
constexpr std::size_t kSizeLength = 12;
constexpr std::size_t kTypeAt = 156;
constexpr std::size_t kMostHeader = 16UL << 20;  // libarchive takes a few headers of at most 1 MiB each

// The size of an extended header. Everybody writes it in octal; another form could hide a name from us, so it is
// refused.
std::optional<std::size_t> octal(std::string_view field) {
  while (field.starts_with(' ')) field.remove_prefix(1);
  while (field.ends_with(' ') || field.ends_with('\0')) field.remove_suffix(1);
  const auto value = parse_number<std::size_t>(field, 8);
  return value && *value <= kMostHeader ? value : std::nullopt;
}

bool renames(std::string_view key) {
  return key == "path" || key == "linkpath" || key == "size" || key.starts_with("GNU.sparse.");
}

// One record "LENGTH KEY=VALUE\n" off the front of `text`; nothing when it is malformed, or there is none.
struct Record {
  std::string_view key;
  std::string_view value;
};
std::optional<Record> take_record(std::string_view& text) {
  const std::size_t digits = text.find(' ');
  const auto length = parse_number<std::size_t>(text.substr(0, digits));
  if (!length || *length > text.size() || *length < digits + 3) return std::nullopt;
  const std::string_view body = text.substr(digits + 1, *length - digits - 2);
  text.remove_prefix(*length);
  const auto equals = body.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return Record{body.substr(0, equals), body.substr(equals + 1)};
}

bool holds_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

bool is_size(std::string_view key) { return key == "size" || key == "GNU.sparse.size" || key == "GNU.sparse.realsize"; }

// An empty value takes back what an earlier record said.
Result<> note(RawNames& names, const Record& record) {
  if (is_size(record.key) && record.value.find_first_not_of("0123456789") != std::string_view::npos) {
    return fail(ErrorKind::kCorrupt, "a pax header gives \"{}\" as a size", printable(record.value));
  }
  if (record.key.starts_with("GNU.sparse.")) names.sparse = true;
  if (record.key == "mtime") names.before_1970 = record.value.starts_with('-');
  if (!holds_nul(record.value)) return {};
  if (record.key == "path" || record.key == "GNU.sparse.name") names.path = record.value;
  if (record.key == "linkpath") names.link = record.value;
  return {};
}

// Octal digits between spaces and NULs, or GNU's base 256, which the first bit marks.
bool is_number(std::string_view field) {
  if ((static_cast<unsigned char>(field.front()) & 0x80U) != 0) return true;
  constexpr std::string_view kPadding(" \0", 2);
  const auto begin = field.find_first_not_of(kPadding);
  if (begin == std::string_view::npos) return true;
  const auto end = field.find_first_not_of("01234567", begin);
  return end == std::string_view::npos ||
         (end > begin && field.find_first_not_of(kPadding, end) == std::string_view::npos);
}

Result<> note_last(RawNames& names, std::string_view block) {
  if (!is_number(block.substr(kSizeAt, kSizeLength))) {
    return fail(ErrorKind::kCorrupt, "a header gives \"{}\" as a size", printable(block.substr(kSizeAt, kSizeLength)));
  }
  if (block[kTypeAt] == 'S') names.sparse = true;
  return {};
}

Result<> note_extended(RawNames& names, char type, std::string_view body) {
  if (type == 'L' || type == 'K') {
    while (!body.empty() && body.back() == '\0') body.remove_suffix(1);
    if (holds_nul(body)) (type == 'L' ? names.path : names.link) = body;
    return {};
  }
  while (auto record = take_record(body)) {
    if (type == 'g' && renames(record->key)) {
      return fail(ErrorKind::kCorrupt, "a global pax header sets \"{}\" for all entries", printable(record->key));
    }
    if (auto noted = note(names, *record); !noted) return noted;
  }
  return {};
}

}  // namespace

Result<std::span<const std::byte>> HeaderWindow::next() {
  static constexpr std::array<std::byte, 128UL * 1024> kAnything{};
  if (pass_to_ > position()) {
    auto gone = skip(std::min<std::uint64_t>(pass_to_ - position(), kAnything.size()));
    if (!gone) return fail(std::move(gone.error()));
    if (*gone > 0) return std::span(kAnything).first(static_cast<std::size_t>(*gone));
  }
  auto piece = from_.next();
  if (!piece || piece->empty()) return piece;
  // libarchive has taken what it still needs of the piece before.
  const std::uint64_t keep_from = held_from_ ? std::max(*held_from_, start_) : position();
  const auto gone = static_cast<std::size_t>(std::min<std::uint64_t>(keep_from - start_, window_.size()));
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(gone));
  start_ += gone;
  if (window_.size() > kMostHeader) return fail(ErrorKind::kCorrupt, "the headers of an entry are too long");
  const std::size_t before = window_.size();
  window_.insert(window_.end(), piece->begin(), piece->end());
  return std::span<const std::byte>(window_).subspan(before);
}

Result<std::uint64_t> HeaderWindow::skip(std::uint64_t count) {
  auto gone = from_.skip(count);
  if (!gone || *gone == 0) return gone;
  start_ += window_.size() + *gone;
  window_.clear();
  return gone;
}

std::span<const std::byte> HeaderWindow::since(std::uint64_t offset) const {
  if (offset < start_ || offset > start_ + window_.size()) return {};
  return std::span(window_).subspan(static_cast<std::size_t>(offset - start_));
}

Result<RawNames> raw_names(std::span<const std::byte> header) {
  RawNames names;
  while (header.size() >= kBlock) {
    const std::string_view block(reinterpret_cast<const char*>(header.data()), kBlock);
    const char type = block[kTypeAt];
    // Labels of volumes, continued files, Solaris's ACLs: libarchive passes over them to the header behind, which would
    // then not be looked at here. No image has them.
    if (std::string_view("VMNA").find(type) != std::string_view::npos) {
      return fail(ErrorKind::kCorrupt, "a header is of the type {}, which no image has", type);
    }
    if (type != 'x' && type != 'X' && type != 'g' && type != 'L' && type != 'K') {
      if (auto noted = note_last(names, block); !noted) return fail(std::move(noted.error()));
      break;
    }
    const auto size = octal(block.substr(kSizeAt, kSizeLength));
    if (!size || *size > header.size() - kBlock) {
      return fail(ErrorKind::kCorrupt, "an extended header has no readable size");
    }
    const std::string_view body(reinterpret_cast<const char*>(header.data()) + kBlock, *size);
    if (auto noted = note_extended(names, type, body); !noted) return fail(std::move(noted.error()));
    const std::size_t whole = kBlock + (*size + kBlock - 1) / kBlock * kBlock;
    if (whole > header.size()) break;
    header = header.subspan(whole);
  }
  return names;
}

}  // namespace slipway::archive
