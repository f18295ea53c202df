#include "archive/gzip_source.h"

#include <algorithm>
#include <new>
#include <vector>

#include <zlib.h>

namespace slipway::archive {
namespace {

constexpr std::size_t kPiece = 128UL << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::byte kFirstOfMember{0x1f};

}  // namespace

struct GzipSource::State {
  explicit State(ByteSource& source) : from(source), out(kPiece) {
    if (::inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~State() { ::inflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] Result<bool> refill();
  [[nodiscard]] Result<> begin_member();
  [[nodiscard]] Result<std::size_t> unpack();

  ByteSource& from;
  std::vector<std::byte> out;
  std::span<const std::byte> in;
  z_stream stream{};
  bool in_member = false;
  bool padding = false;  // zeros were met: nothing else may come
};

// False: there is no more.
Result<bool> GzipSource::State::refill() {
  if (!in.empty()) return true;
  auto piece = from.next();
  if (!piece) return fail(std::move(piece.error()));
  in = *piece;
  return !in.empty();
}

Result<> GzipSource::State::begin_member() {
  if (!padding && in.front() == kFirstOfMember) {
    in_member = true;
    ::inflateReset(&stream);
    return {};
  }
  padding = true;
  if (std::ranges::any_of(in, [](std::byte b) { return b != std::byte{0}; })) {
    return fail(ErrorKind::kCorrupt, "the gzip stream is followed by something else");
  }
  in = {};
  return {};
}

// How many bytes came out.
Result<std::size_t> GzipSource::State::unpack() {
  const auto given = static_cast<uInt>(std::min<std::size_t>(in.size(), 1UL << 30));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = given;
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = ::inflate(&stream, Z_NO_FLUSH);
  in = in.subspan(given - stream.avail_in);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
    return fail(ErrorKind::kCorrupt, "the gzip stream is damaged: {}",
                stream.msg != nullptr ? stream.msg : "no reason given");
  }
  if (status == Z_STREAM_END) in_member = false;
  return out.size() - stream.avail_out;
}

GzipSource::GzipSource(ByteSource& from) : state_(std::make_unique<State>(from)) {}
GzipSource::~GzipSource() = default;

Result<std::span<const std::byte>> GzipSource::next() {
  State& s = *state_;
  for (;;) {
    auto more = s.refill();
    if (!more) return fail(std::move(more.error()));
    if (!*more) {
      if (s.in_member) return fail(ErrorKind::kCorrupt, "the gzip stream is cut off");
      return std::span<const std::byte>{};
    }
    if (!s.in_member) {
      if (auto begun = s.begin_member(); !begun) return fail(std::move(begun.error()));
      continue;
    }
    auto made = s.unpack();
    if (!made) return fail(std::move(made.error()));
    if (*made > 0) return std::span<const std::byte>(s.out).first(*made);
  }
}

}  // namespace slipway::archive
