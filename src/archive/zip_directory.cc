#include "archive/zip_directory.h"

#include <algorithm>
#include <array>
#include <utility>

#include "archive/entry.h"
#include "archive/zip_content.h"

namespace slipway::archive {
namespace {

using namespace std::string_view_literals;

constexpr auto kRecordMark = "PK\x01\x02"sv;
constexpr auto kEndMark = "PK\x05\x06"sv;
constexpr auto kWideEndMark = "PK\x06\x06"sv;
constexpr auto kLocatorMark = "PK\x06\x07"sv;
constexpr std::size_t kRecord = 46;
constexpr std::size_t kEnd = 22;
constexpr std::size_t kWideEnd = 56;
constexpr std::size_t kLocator = 20;
constexpr std::uint64_t kMostWideEnd = 1UL << 20;
constexpr std::uint64_t kElsewhere = 0xffffffff;
constexpr std::uint64_t kManyElsewhere = 0xffff;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::unexpected<Error> cut_off() { return fail(ErrorKind::kCorrupt, "the zip is cut off within its directory"); }
std::unexpected<Error> another() {
  return fail(ErrorKind::kCorrupt, "the end of the zip tells of another directory than stands before it");
}

}  // namespace

void widen(std::span<const std::byte> extra, std::initializer_list<std::uint64_t*> numbers) {
  while (extra.size() >= 4) {
    const auto id = little<std::uint16_t>(extra, 0);
    const auto length = little<std::uint16_t>(extra, 2);
    extra = extra.subspan(4);
    if (length > extra.size()) return;
    auto field = extra.first(length);
    extra = extra.subspan(length);
    if (id != 1) continue;
    for (std::uint64_t* wide : numbers) {
      if (*wide != kElsewhere || field.size() < 8) continue;
      *wide = little<std::uint64_t>(field, 0);
      field = field.subspan(8);
    }
    return;
  }
}

bool ZipDirectory::begins(std::span<const std::byte> bytes) {
  constexpr std::array kMarks = {kRecordMark, kEndMark, kWideEndMark};
  return std::ranges::any_of(kMarks, [&](auto mark) { return text_of(bytes).starts_with(mark); });
}

std::uint64_t ZipDirectory::name_of(std::string_view name) {
  hasher_.update(name);
  const DigestBytes digest = hasher_.finish();
  return little<std::uint64_t>(std::as_bytes(std::span(digest)), 0);
}

void ZipDirectory::met(std::uint64_t position, std::string_view name) { entries_.push_back({position, name_of(name)}); }

Result<> ZipDirectory::check() {
  begin_ = cursor_.position();
  listed_.resize(entries_.size());
  for (;;) {
    auto more = comes(kRecordMark);
    if (!more) return fail(std::move(more.error()));
    if (!*more) break;
    if (auto read = record(); !read) return read;
  }
  if (records_ != entries_.size()) {
    return fail(ErrorKind::kCorrupt, "the directory of the zip lists {} of the {} files that are in it", records_,
                entries_.size());
  }
  size_ = cursor_.position() - begin_;
  const auto wide = comes(kWideEndMark);
  if (!wide) return fail(wide.error());
  if (*wide) {
    if (auto read = wide_end(); !read) return read;
  }
  return end(*wide);
}

// Just as many bytes, which are not yet taken.
Result<std::span<const std::byte>> ZipDirectory::whole(std::size_t count) {
  auto bytes = cursor_.peek(count);
  if (!bytes) return bytes;
  if (bytes->size() < count) return cut_off();
  return bytes->first(count);
}

Result<bool> ZipDirectory::comes(std::string_view mark) {
  const auto bytes = cursor_.peek(mark.size());
  if (!bytes) return fail(bytes.error());
  return text_of(*bytes).starts_with(mark);
}

Result<> ZipDirectory::record() {
  auto bytes = whole(kRecord);
  if (!bytes) return fail(std::move(bytes.error()));
  const std::size_t name_length = little<std::uint16_t>(*bytes, 28);
  const std::size_t extra_length = little<std::uint16_t>(*bytes, 30);
  const std::size_t comment_length = little<std::uint16_t>(*bytes, 32);
  bytes = whole(kRecord + name_length + extra_length + comment_length);
  if (!bytes) return fail(std::move(bytes.error()));
  std::uint64_t packed = little<std::uint32_t>(*bytes, 20);
  std::uint64_t size = little<std::uint32_t>(*bytes, 24);
  std::uint64_t offset = little<std::uint32_t>(*bytes, 42);
  widen(bytes->subspan(kRecord + name_length, extra_length), {&size, &packed, &offset});
  const auto name = text_of(bytes->subspan(kRecord, name_length));
  if (!list(offset, name)) {
    return fail(ErrorKind::kCorrupt, "the directory of the zip lists {} where no such file is, or twice",
                printable(name));
  }
  cursor_.take(bytes->size());
  return {};
}

// False when there is no such entry that was not listed yet.
bool ZipDirectory::list(std::uint64_t offset, std::string_view name) {
  const std::uint64_t hash = name_of(name);
  if (records_ == 0 && !entries_.empty() && !find(offset, hash)) from_ = entries_.front().position;
  const auto found = find(from_ + offset, hash);
  if (!found || listed_[*found]) return false;
  listed_[*found] = true;
  ++records_;
  return true;
}

std::optional<std::size_t> ZipDirectory::find(std::uint64_t position, std::uint64_t name) const {
  const auto at = std::ranges::lower_bound(entries_, position, {}, &Entry::position);
  if (at == entries_.end() || at->position != position || at->name != name) return std::nullopt;
  return static_cast<std::size_t>(at - entries_.begin());
}

Result<> ZipDirectory::wide_end() {
  const std::uint64_t at = cursor_.position();
  auto bytes = whole(kWideEnd);
  if (!bytes) return fail(std::move(bytes.error()));
  const auto length = little<std::uint64_t>(*bytes, 4);  // of what follows this number
  if (length < kWideEnd - 12 || length > kMostWideEnd) return another();
  if (little<std::uint64_t>(*bytes, 32) != records_ || little<std::uint64_t>(*bytes, 40) != size_ ||
      from_ + little<std::uint64_t>(*bytes, 48) != begin_) {
    return another();
  }
  const auto gone = cursor_.skip(12 + length);
  if (!gone) return fail(gone.error());
  if (*gone != 12 + length) return cut_off();
  bytes = whole(kLocator);
  if (!bytes) return fail(std::move(bytes.error()));
  if (!text_of(*bytes).starts_with(kLocatorMark) || from_ + little<std::uint64_t>(*bytes, 8) != at) return another();
  cursor_.take(kLocator);
  return {};
}

// What does not fit is told by zip64's end, unless the zip is older than that: then the number of files is the rest.
Result<> ZipDirectory::end(bool wide) {
  const auto bytes = whole(kEnd);
  if (!bytes) return fail(bytes.error());
  if (!text_of(*bytes).starts_with(kEndMark)) {
    return fail(ErrorKind::kCorrupt, "the zip is damaged behind its directory");
  }
  const auto tells = [&](std::uint64_t number, std::uint64_t right, std::uint64_t elsewhere) {
    return number == right || (wide && number == elsewhere);
  };
  const std::uint64_t files = little<std::uint16_t>(*bytes, 10);
  const std::uint64_t size = little<std::uint32_t>(*bytes, 12);
  const std::uint64_t offset = little<std::uint32_t>(*bytes, 16);
  const std::size_t length = little<std::uint16_t>(*bytes, 20);
  if (!tells(files, records_ & kManyElsewhere, kManyElsewhere) || !tells(size, size_, kElsewhere) ||
      !tells(offset, begin_ - from_, kElsewhere)) {
    return another();
  }
  cursor_.take(kEnd);
  return comment(length);
}

// The last end counts, wherever it stands: one in the comment would be the end of another zip.
Result<> ZipDirectory::comment(std::size_t length) {
  const auto bytes = cursor_.peek(length + 1);
  if (!bytes) return fail(bytes.error());
  if (bytes->size() < length) return cut_off();
  if (bytes->size() > length) return fail(ErrorKind::kCorrupt, "more follows behind the end of the zip");
  if (text_of(*bytes).find(kEndMark) != std::string_view::npos) {
    return fail(ErrorKind::kCorrupt, "another end of a zip is in the comment of the zip");
  }
  cursor_.take(length);
  return {};
}

}  // namespace slipway::archive
