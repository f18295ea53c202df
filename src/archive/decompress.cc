#include "archive/decompress.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "archive/gzip_source.h"
#include "archive/libarchive_input.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kHead = 512;
constexpr std::size_t kMagicAt = 257;  // of "ustar" in a tar header

bool begins(std::span<const std::byte> head, std::string_view mark, std::size_t at = 0) {
  return head.size() >= at + mark.size() && std::memcmp(head.data() + at, mark.data(), mark.size()) == 0;
}

// A frame of zstd's that holds nothing of the stream: pzstd begins with one.
bool begins_skippable(std::span<const std::byte> head) {
  using namespace std::string_view_literals;
  return begins(head, "\x2a\x4d\x18"sv, 1) && (head[0] & std::byte{0xf0}) == std::byte{0x50};
}

bool zeros(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

int support(struct archive* handle, Compression compression) {
  switch (compression) {
    case Compression::kZstd: return archive_read_support_filter_zstd(handle);
    case Compression::kXz: return archive_read_support_filter_xz(handle);
    case Compression::kBzip2: return archive_read_support_filter_bzip2(handle);
    case Compression::kGzip:  // GzipSource
    case Compression::kNone: break;
  }
  return archive_read_support_filter_none(handle);
}

}  // namespace

std::string_view to_string(Compression compression) {
  switch (compression) {
    case Compression::kNone: return "none";
    case Compression::kGzip: return "gzip";
    case Compression::kZstd: return "zstd";
    case Compression::kXz: return "xz";
    case Compression::kBzip2: return "bzip2";
  }
  return "unknown";
}

bool is_tar(std::span<const std::byte> head) { return begins(head, "ustar", kMagicAt); }

Compression detect_compression(std::span<const std::byte> head) {
  using namespace std::string_view_literals;
  if (is_tar(head)) return Compression::kNone;
  if (begins(head, "\x1f\x8b\x08"sv)) return Compression::kGzip;
  if (begins(head, "\x28\xb5\x2f\xfd"sv) || begins_skippable(head)) return Compression::kZstd;
  if (begins(head,
             "\xfd"
             "7zXZ\0"sv)) {
    return Compression::kXz;
  }
  if (begins(head, "BZh"sv)) return Compression::kBzip2;
  return Compression::kNone;
}

struct DecompressSource::State {
  State(ByteSource& from, Compression wanted) : input(from), source(from), compression(wanted) {
    if (wanted == Compression::kGzip) gzip = std::make_unique<GzipSource>(from);
  }

  [[nodiscard]] Result<> open();
  [[nodiscard]] Result<> check_rest();
  [[nodiscard]] Result<std::span<const std::byte>> next_of_gzip();

  std::unique_ptr<GzipSource> gzip;
  LibarchiveInput input;
  ByteSource& source;
  Compression compression;
  ArchiveHandle handle{archive_read_new()};
  bool opened = false;
  bool ended = false;
  bool begun = false;
};

Result<> DecompressSource::State::open() {
  opened = true;
  struct archive* a = handle.get();
  if (a == nullptr) return fail(ErrorKind::kUnavailable, "no memory for a {} reader", to_string(compression));
  // libarchive warns (ARCHIVE_WARN) when it would need another program for a filter; ours are all built in.
  if (support(a, compression) != ARCHIVE_OK || archive_read_support_format_raw(a) != ARCHIVE_OK) {
    return fail(ErrorKind::kUnsupported, "this libarchive cannot read {}", to_string(compression));
  }
  struct archive_entry* entry = nullptr;
  if (input.open(a) != ARCHIVE_OK || archive_read_next_header(a, &entry) != ARCHIVE_OK) return input.failure(a);
  // The last of the filters is the one that hands over what we feed.
  if (archive_filter_count(a) == 1)
    return fail(ErrorKind::kCorrupt, "the {} stream is damaged", to_string(compression));
  if (archive_filter_count(a) != 2) return fail(ErrorKind::kUnsupported, "the archive is compressed more than once");
  return {};
}

Result<> DecompressSource::State::check_rest() {
  const auto used = static_cast<std::uint64_t>(archive_filter_bytes(handle.get(), -1));
  const auto after = [&] {
    return fail(ErrorKind::kCorrupt, "the {} stream is followed by something else", to_string(compression));
  };
  const std::uint64_t left = input.fed() - used;
  if (left > input.last().size() || !zeros(input.last().last(static_cast<std::size_t>(left)))) return after();
  for (;;) {
    auto more = source.next();
    if (!more) return fail(std::move(more.error()));
    if (more->empty()) return {};
    if (!zeros(*more)) return after();
  }
}

Result<std::span<const std::byte>> DecompressSource::State::next_of_gzip() {
  auto piece = gzip->next();
  if (!piece) return piece;
  if (!begun && detect_compression(*piece) != Compression::kNone) {
    return fail(ErrorKind::kUnsupported, "the archive is compressed more than once");
  }
  begun = true;
  return piece;
}

DecompressSource::DecompressSource(ByteSource& from, Compression compression)
    : state_(std::make_unique<State>(from, compression)) {}

DecompressSource::~DecompressSource() = default;

Result<std::span<const std::byte>> DecompressSource::next() {
  State& s = *state_;
  if (s.gzip) return s.next_of_gzip();
  if (!s.opened) {
    if (auto opened = s.open(); !opened) return fail(std::move(opened.error()));
  }
  while (!s.ended) {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(s.handle.get(), &data, &size, &offset);
    if (status == ARCHIVE_EOF) {
      s.ended = true;
      if (auto rest = s.check_rest(); !rest) return fail(std::move(rest.error()));
      break;
    }
    if (status != ARCHIVE_OK) return s.input.failure(s.handle.get());
    if (size > 0) return std::span(static_cast<const std::byte*>(data), size);
  }
  return std::span<const std::byte>{};
}

Result<std::span<const std::byte>> PeekedSource::head() {
  while (head_.size() < kHead) {
    auto piece = from_.next();
    if (!piece) return piece;
    if (piece->empty()) break;
    head_.insert(head_.end(), piece->begin(), piece->end());
  }
  pending_ = !head_.empty();
  return std::span<const std::byte>(head_);
}

Result<std::span<const std::byte>> PeekedSource::next() {
  if (!std::exchange(pending_, false)) return from_.next();
  return std::span<const std::byte>(head_);
}

Result<std::uint64_t> PeekedSource::skip(std::uint64_t count) {
  if (pending_) return 0;
  return from_.skip(count);
}

}  // namespace slipway::archive
