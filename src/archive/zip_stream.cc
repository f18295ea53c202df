#include "archive/zip_stream.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "archive/cursor.h"
#include "archive/entry.h"
#include "archive/zip_content.h"
#include "archive/zip_directory.h"

namespace slipway::archive {
namespace {

using namespace std::string_view_literals;

constexpr auto kLocalMark = "PK\x03\x04"sv;
constexpr std::size_t kLocalHeader = 30;
constexpr std::size_t kMostScript = 1UL << 20;

enum : std::uint16_t { kEncrypted = 1U << 0U, kLengthsBehind = 1U << 3U, kMasked = 1U << 13U };

bool begins(std::span<const std::byte> bytes, std::string_view mark) {
  return bytes.size() >= mark.size() && std::ranges::equal(bytes.first(mark.size()), std::as_bytes(std::span(mark)));
}

}  // namespace

Result<> ZipAllowance::take_bytes(std::uint64_t count) {
  if (spent_ || count > bytes_) {
    spent_ = true;
    return fail(ErrorKind::kRejected, "it unpacks to more than is read of such a file");
  }
  bytes_ -= count;
  return {};
}

Result<> ZipAllowance::take_entry() {
  if (spent_ || entries_ == 0) {
    spent_ = true;
    return fail(ErrorKind::kRejected, "it has more entries than are read of such a file");
  }
  --entries_;
  return {};
}

struct ZipStream::State {
  State(ByteSource& from, ZipAllowance& of) : allowance(of), cursor(from), content(cursor, of), directory(cursor) {}

  [[nodiscard]] Result<> begin();
  [[nodiscard]] Result<const ZipEntry*> local_header();
  [[nodiscard]] Result<> open(std::span<const std::byte> header);
  [[nodiscard]] Result<const ZipEntry*> end();

  ZipAllowance& allowance;
  Cursor cursor;
  ZipContent content;
  ZipDirectory directory;
  ZipEntry entry;
  bool begun = false;
  bool ended = false;
};

// Passes over a script.
Result<> ZipStream::State::begin() {
  begun = true;
  constexpr std::size_t kLook = 64UL << 10;
  auto head = cursor.peek(4);
  if (!head) return fail(std::move(head.error()));
  if (!begins(*head, "#!")) {
    const bool zip = begins(*head, kLocalMark) || ZipDirectory::begins(*head);
    return zip ? Result<>{} : fail(ErrorKind::kCorrupt, "it is no zip");
  }
  while (cursor.position() < kMostScript) {
    head = cursor.peek(kLook);
    if (!head) return fail(std::move(head.error()));
    const auto mark = std::as_bytes(std::span(kLocalMark));
    const auto found = std::ranges::search(*head, mark);
    if (!found.empty()) {
      cursor.take(static_cast<std::size_t>(found.begin() - head->begin()));
      return {};
    }
    if (head->size() < kLook) break;
    cursor.take(head->size() - kLocalMark.size() + 1);
  }
  return fail(ErrorKind::kCorrupt, "it is a script with no zip behind it");
}

Result<> ZipStream::State::open(std::span<const std::byte> header) {
  const auto flags = little<std::uint16_t>(header, 6);
  ZipContent::Form form{.method = little<std::uint16_t>(header, 8), .crc = little<std::uint32_t>(header, 14)};
  std::uint64_t packed = little<std::uint32_t>(header, 18);
  std::uint64_t size = little<std::uint32_t>(header, 22);
  const auto name_length = little<std::uint16_t>(header, 26);
  entry.name.assign(reinterpret_cast<const char*>(header.data()) + kLocalHeader, name_length);
  directory.met(cursor.position(), entry.name);
  widen(header.subspan(kLocalHeader + name_length), {&size, &packed});
  if ((flags & (kEncrypted | kMasked)) != 0) {
    return fail(ErrorKind::kUnsupported, "{} in it is encrypted", printable(entry.name));
  }
  form.descriptor = (flags & kLengthsBehind) != 0;
  const bool known = !form.descriptor || packed > 0;
  entry.size.reset();
  if (known) {
    form.packed = packed;
    // Of a descriptor's entry the header may state the one length and not the other.
    if (!form.descriptor || size > 0) form.size = entry.size = size;
  }
  cursor.take(header.size());
  return content.open(form);
}

Result<const ZipEntry*> ZipStream::State::local_header() {
  auto bytes = cursor.peek(4);
  if (!bytes) return fail(std::move(bytes.error()));
  if (ZipDirectory::begins(*bytes)) return end();
  if (bytes->size() < 4) return fail(ErrorKind::kCorrupt, "the zip is cut off");
  if (!begins(*bytes, kLocalMark))
    return fail(ErrorKind::kCorrupt, "the zip is damaged behind {}", printable(entry.name));
  const auto cut_off = [] { return fail(ErrorKind::kCorrupt, "the zip is cut off within a header"); };
  bytes = cursor.peek(kLocalHeader);
  if (!bytes) return fail(std::move(bytes.error()));
  if (bytes->size() < kLocalHeader) return cut_off();
  const std::size_t whole = kLocalHeader + little<std::uint16_t>(*bytes, 26) + little<std::uint16_t>(*bytes, 28);
  bytes = cursor.peek(whole);
  if (!bytes) return fail(std::move(bytes.error()));
  if (bytes->size() < whole) return cut_off();
  if (auto opened = open(bytes->first(whole)); !opened) return fail(std::move(opened.error()));
  return &entry;
}

Result<const ZipEntry*> ZipStream::State::end() {
  if (auto checked = directory.check(); !checked) return fail(std::move(checked.error()));
  ended = true;
  return nullptr;
}

ZipStream::ZipStream(ByteSource& from, ZipAllowance& allowance) : state_(std::make_unique<State>(from, allowance)) {}
ZipStream::~ZipStream() = default;

Result<const ZipEntry*> ZipStream::next() {
  State& s = *state_;
  if (s.ended) return nullptr;
  if (!s.begun) {
    if (auto begun = s.begin(); !begun) return fail(std::move(begun.error()));
  }
  if (auto passed = s.content.pass(); !passed) return passed.error().during("{}", printable(s.entry.name));
  if (auto taken = s.allowance.take_entry(); !taken) return fail(std::move(taken.error()));
  return s.local_header();
}

ByteSource& ZipStream::content() { return state_->content; }

}  // namespace slipway::archive
