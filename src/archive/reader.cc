#include "archive/reader.h"

#include <algorithm>
#include <clocale>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include <archive.h>
#include <archive_entry.h>

#include "archive/access_lists.h"
#include "archive/decompress.h"
#include "archive/header_window.h"
#include "archive/libarchive_input.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kBlock = 512;

// libarchive translates names into the locale's encoding, and composes what is decomposed. In the C locale every name
// that is not ASCII fails to translate, and is then given as the bytes that stand in the archive.
class PlainLocale {
 public:
  PlainLocale() : before_(::uselocale(plain())) {}
  ~PlainLocale() { ::uselocale(before_); }
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  static locale_t plain() {
    static locale_t const the_plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
    return the_plain;
  }
  locale_t before_;
};

// libarchive gives no number for this warning, only words.
bool only_translation(struct archive* handle) {
  const char* text = archive_error_string(handle);
  return text != nullptr && std::strstr(text, "can't be converted from") != nullptr;
}

bool zeros(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

Result<EntryType> type_of(struct archive_entry* raw) {
  if (archive_entry_hardlink(raw) != nullptr) return EntryType::kHardLink;
  switch (archive_entry_filetype(raw)) {
    case AE_IFREG: return EntryType::kFile;
    case AE_IFDIR: return EntryType::kFolder;
    case AE_IFLNK: return EntryType::kSymlink;
    case AE_IFCHR: return EntryType::kCharDevice;
    case AE_IFBLK: return EntryType::kBlockDevice;
    case AE_IFIFO: return EntryType::kFifo;
    case AE_IFSOCK: return EntryType::kSocket;
    default: return fail(ErrorKind::kCorrupt, "an entry of no known type");
  }
}

std::string text_of(const char* text) { return text != nullptr ? std::string(text) : std::string(); }

void copy_lists(struct archive_entry* raw, Entry& entry) {
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (archive_entry_xattr_reset(raw); archive_entry_xattr_next(raw, &name, &value, &size) == ARCHIVE_OK;) {
    entry.xattrs.emplace_back(text_of(name), std::string(static_cast<const char*>(value), size));
  }
  la_int64_t offset = 0;
  la_int64_t length = 0;
  // None when one piece is the whole file: the list is gone then, and its next piece must not be asked for.
  if (archive_entry_sparse_reset(raw) == 0) return;
  while (archive_entry_sparse_next(raw, &offset, &length) == ARCHIVE_OK) {
    entry.sparse.push_back({static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length)});
  }
}

// libarchive reads "-5.25" as -5 s and 250,000,000 ns, and gives "-0.25" no sign at all.
void set_time(struct archive_entry* raw, bool before_1970, Entry& entry) {
  constexpr long kSecond = 1'000'000'000;  // ns
  const long fraction = std::clamp(archive_entry_mtime_nsec(raw), 0L, kSecond - 1);
  const bool downwards = before_1970 && fraction > 0;
  entry.mtime = archive_entry_mtime(raw);
  if (downwards && entry.mtime > std::numeric_limits<std::int64_t>::min()) --entry.mtime;
  entry.mtime_ns = static_cast<std::uint32_t>(downwards ? kSecond - fraction : fraction);
}

// An owner that no Linux file can have.
bool fits_id(la_int64_t id) { return id >= 0 && id < 0xffffffffLL; }

}  // namespace

struct Reader::State {
  explicit State(ByteSource& from) : peeked(from) {}

  [[nodiscard]] Result<> open(UnpackMeter& meter, TapSource::Watch watch);
  [[nodiscard]] Result<> fill(struct archive_entry* raw, std::uint64_t header_at);
  [[nodiscard]] Result<const Entry*> finish(std::uint64_t header_at);
  [[nodiscard]] Result<> check_piece(la_int64_t offset, std::size_t size);
  [[nodiscard]] Result<> check_sparse() const;

  PeekedSource peeked;
  std::unique_ptr<DecompressSource> unpacked;
  std::unique_ptr<TapSource> watched;
  std::unique_ptr<HeaderWindow> window;
  std::unique_ptr<LibarchiveInput> input;
  ArchiveHandle handle{archive_read_new()};
  Entry entry;
  bool inside = false;           // an entry whose content is not yet passed
  bool sparse = false;           // its headers speak of holes
  std::uint64_t content_at = 0;  // where in the stream its content begins
  std::uint64_t given = 0;       // bytes of its content so far
  std::uint64_t given_to = 0;    // where they end
  bool ended = false;
};

Result<> Reader::State::open(UnpackMeter& meter, TapSource::Watch watch) {
  auto head = peeked.head();
  if (!head) return fail(std::move(head.error()));
  if (head->empty()) return fail(ErrorKind::kCorrupt, "the archive is empty");
  ByteSource* tar = &peeked;
  const Compression compression = detect_compression(*head);
  if (compression != Compression::kNone) {
    unpacked = std::make_unique<DecompressSource>(peeked, compression);
    tar = unpacked.get();
  }
  if (watch || unpacked) {
    watched = std::make_unique<TapSource>(
        *tar, [&meter, shown = std::move(watch)](std::span<const std::byte> bytes) -> Result<> {
          if (auto within = meter.take(bytes.size()); !within) return within;
          return shown ? shown(bytes) : Result<>{};
        });
    tar = watched.get();
  }
  window = std::make_unique<HeaderWindow>(*tar);
  input = std::make_unique<LibarchiveInput>(*window);
  struct archive* a = handle.get();
  if (a == nullptr || archive_read_support_filter_none(a) != ARCHIVE_OK ||
      archive_read_support_format_tar(a) != ARCHIVE_OK) {
    return fail(ErrorKind::kUnavailable, "no memory for a tar reader");
  }
  window->hold(0);
  const PlainLocale plain;
  if (input->open(a) != ARCHIVE_OK) return input->failure(a);
  return {};
}

Result<> Reader::State::fill(struct archive_entry* raw, std::uint64_t header_at) {
  entry = Entry{};
  auto type = type_of(raw);
  if (!type) return fail(std::move(type.error()));
  entry.type = *type;
  entry.path = text_of(archive_entry_pathname(raw));
  if (entry.type == EntryType::kHardLink) entry.link = text_of(archive_entry_hardlink(raw));
  if (entry.type == EntryType::kSymlink) entry.link = text_of(archive_entry_symlink(raw));
  auto names = raw_names(window->since(header_at));
  if (!names) return fail(std::move(names.error()));
  if (names->path) entry.path = std::move(*names->path);
  if (names->link) entry.link = std::move(*names->link);
  sparse = names->sparse;
  given = given_to = 0;

  const la_int64_t size = archive_entry_size(raw);
  const la_int64_t uid = archive_entry_uid(raw);
  const la_int64_t gid = archive_entry_gid(raw);
  if (size < 0) return fail(ErrorKind::kCorrupt, "entry {} has a negative size", printable(entry.path));
  if (!fits_id(uid) || !fits_id(gid)) {
    return fail(ErrorKind::kCorrupt, "entry {} has owner {}:{}, which no file can have", printable(entry.path), uid,
                gid);
  }
  entry.size = entry.type == EntryType::kFile ? static_cast<std::uint64_t>(size) : 0;
  entry.uid = static_cast<std::uint32_t>(uid);
  entry.gid = static_cast<std::uint32_t>(gid);
  entry.mode = static_cast<std::uint16_t>(archive_entry_perm(raw) & 07777U);
  set_time(raw, names->before_1970, entry);
  entry.device_major = static_cast<std::uint32_t>(archive_entry_rdevmajor(raw));
  entry.device_minor = static_cast<std::uint32_t>(archive_entry_rdevminor(raw));
  copy_lists(raw, entry);
  copy_access_lists(raw, entry);
  return {};
}

Result<> Reader::State::check_piece(la_int64_t offset, std::size_t size) {
  const auto at = static_cast<std::uint64_t>(offset);
  if (offset < 0 || at < given_to || size > entry.size || at > entry.size - size) {
    return fail(ErrorKind::kCorrupt, "entry {}: its pieces overlap or lie outside of it", printable(entry.path));
  }
  given += size;
  given_to = at + size;
  return {};
}

// libarchive drops pieces of the map that make no sense, and ends a content early without a word.
Result<> Reader::State::check_sparse() const {
  std::uint64_t promised = 0;
  for (const Extent& extent : entry.sparse) promised += extent.length;
  const bool whole = entry.sparse.empty() && given == entry.size;  // one piece is not listed
  if (given == promised || whole) return {};
  return fail(ErrorKind::kCorrupt, "entry {}: its map of holes does not fit its content", printable(entry.path));
}

// libarchive takes any end between two entries for the end of the archive.
Result<const Entry*> Reader::State::finish(std::uint64_t header_at) {
  ended = true;
  const auto after = static_cast<std::uint64_t>(archive_filter_bytes(handle.get(), -1));
  if (after < header_at + kBlock) return fail(ErrorKind::kCorrupt, "the archive is cut off: its end mark is missing");
  const auto something = [] { return fail(ErrorKind::kCorrupt, "the archive is followed by something else"); };
  if (!zeros(window->since(after))) return something();
  window->release();
  for (;;) {
    auto more = window->next();
    if (!more) return fail(std::move(more.error()));
    if (more->empty()) return nullptr;
    if (!zeros(*more)) return something();
  }
}

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

Result<Reader> Reader::open(ByteSource& from, UnpackMeter& meter, TapSource::Watch watch) {
  auto state = std::make_unique<State>(from);
  if (auto opened = state->open(meter, std::move(watch)); !opened) return fail(std::move(opened.error()));
  return Reader(std::move(state));
}

Result<const Entry*> Reader::next() {
  State& s = *state_;
  if (s.ended) return nullptr;
  struct archive* a = s.handle.get();
  const PlainLocale plain;
  while (s.inside && s.sparse) {
    auto piece = read();
    if (!piece) return fail(std::move(piece.error()));
    if (piece->bytes.empty()) s.sparse = false;
  }
  if (std::exchange(s.inside, false)) {
    s.window->release();
    if (archive_read_data_skip(a) != ARCHIVE_OK) return s.input->failure(a);
  }
  const auto header_at = static_cast<std::uint64_t>(archive_filter_bytes(a, -1));
  s.window->hold(header_at);
  struct archive_entry* raw = nullptr;
  const int status = archive_read_next_header(a, &raw);
  if (status == ARCHIVE_EOF) return s.finish(header_at);
  if (status != ARCHIVE_OK && (status != ARCHIVE_WARN || !only_translation(a))) return s.input->failure(a);
  if (auto filled = s.fill(raw, header_at); !filled) return fail(std::move(filled.error()));
  s.content_at = static_cast<std::uint64_t>(archive_filter_bytes(a, -1));
  s.inside = true;
  return &s.entry;
}

Result<Piece> Reader::read() {
  State& s = *state_;
  if (!s.inside) return Piece{};
  s.window->release();
  for (;;) {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(s.handle.get(), &data, &size, &offset);
    if (status == ARCHIVE_EOF) {
      if (!s.sparse) return Piece{};
      if (auto fits = s.check_sparse(); !fits) return fail(std::move(fits.error()));
      return Piece{};
    }
    if (status != ARCHIVE_OK) return s.input->failure(s.handle.get());
    if (size == 0) continue;
    if (auto fits = s.check_piece(offset, size); !fits) return fail(std::move(fits.error()));
    return Piece{static_cast<std::uint64_t>(offset), {static_cast<const std::byte*>(data), size}};
  }
}

// A sparse file's content stands in the stream without its holes: its places there are known to libarchive alone.
void Reader::pass_to(std::uint64_t offset) {
  State& s = *state_;
  if (!s.inside || s.sparse || !s.entry.sparse.empty()) return;
  s.window->pass_to(s.content_at + std::min(offset, s.entry.size));
}

std::uint64_t Reader::position() const { return state_->window->position(); }

}  // namespace slipway::archive
