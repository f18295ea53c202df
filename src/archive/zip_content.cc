#include "archive/zip_content.h"

#include <algorithm>
#include <new>

#include <zlib.h>

#include "archive/zip_stream.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kPiece = 64UL << 10;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::size_t kMostDescriptor = 24;
constexpr std::size_t kMarkBehind = 2;  // "PK", with which whatever comes next begins
constexpr std::uint16_t kMark = 0x4b50;
constexpr std::uint32_t kDescriptorMark = 0x08074b50;

std::unexpected<Error> cut_off() { return fail(ErrorKind::kCorrupt, "the zip is cut off within a file"); }

}  // namespace

struct ZipContent::Inflater {
  Inflater() : out(kPiece) {
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  struct Step {
    std::size_t used = 0;
    std::size_t made = 0;
    bool ended = false;
  };
  [[nodiscard]] Result<Step> step(std::span<const std::byte> in);

  z_stream stream{};
  std::vector<std::byte> out;
};

Result<ZipContent::Inflater::Step> ZipContent::Inflater::step(std::span<const std::byte> in) {
  const auto most = static_cast<uInt>(std::min<std::size_t>(in.size(), 1UL << 30));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
  stream.avail_in = most;
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = ::inflate(&stream, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  const std::size_t made = out.size() - stream.avail_out;
  // What came before the damage counts: zlib fails again.
  if (made == 0 && status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
    return fail(ErrorKind::kCorrupt, "the zip is damaged: {}", stream.msg != nullptr ? stream.msg : "no deflate");
  }
  return Step{most - stream.avail_in, made, status == Z_STREAM_END};
}

ZipContent::ZipContent(Cursor& cursor, ZipAllowance& allowance) : cursor_(cursor), allowance_(allowance) {}
ZipContent::~ZipContent() = default;

Result<> ZipContent::open(const Form& form) {
  form_ = form;
  inside_ = true;
  ended_ = inflated_ = false;
  used_ = given_ = 0;
  crc_ = 0;
  if (form.method == kDeflated) {
    if (!inflater_) inflater_ = std::make_unique<Inflater>();
    ::inflateReset(&inflater_->stream);
    return {};
  }
  if (form.packed) return {};
  // Only of an empty one is the end known: it is where it begins.
  ended_ = true;
  auto behind = cursor_.peek(kMostDescriptor + kMarkBehind);
  if (!behind) return fail(std::move(behind.error()));
  if (form.method != kStored || descriptor_length(*behind) == 0) {
    return fail(ErrorKind::kUnsupported, "a file in the zip is stored without its length");
  }
  form_.packed = form_.size = 0;
  return {};
}

Result<std::span<const std::byte>> ZipContent::next() {
  if (ended_) return std::span<const std::byte>{};
  if (form_.method == kStored) return next_stored();
  if (form_.method == kDeflated) return next_inflated();
  return fail(ErrorKind::kUnsupported, "a file in the zip is compressed in the way {}, which is not taken",
              form_.method);
}

Result<std::span<const std::byte>> ZipContent::given(std::span<const std::byte> bytes) {
  if (auto taken = allowance_.take_bytes(bytes.size()); !taken) return fail(std::move(taken.error()));
  given_ += bytes.size();
  crc_ = static_cast<std::uint32_t>(::crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  return bytes;
}

Result<std::span<const std::byte>> ZipContent::next_stored() {
  const std::uint64_t left = *form_.packed - used_;
  if (left == 0) {
    if (auto checked = check_end(); !checked) return fail(std::move(checked.error()));
    return std::span<const std::byte>{};
  }
  auto piece = cursor_.peek(1);
  if (!piece) return piece;
  if (piece->empty()) return cut_off();
  const auto bytes = piece->first(static_cast<std::size_t>(std::min<std::uint64_t>(left, piece->size())));
  cursor_.take(bytes.size());
  used_ += bytes.size();
  return given(bytes);
}

// What is packed and in reach; empty when all was used.
Result<std::span<const std::byte>> ZipContent::packed_bytes() {
  if (form_.packed && used_ == *form_.packed) return std::span<const std::byte>{};
  auto piece = cursor_.peek(1);
  if (!piece || !form_.packed) return piece;
  return piece->first(static_cast<std::size_t>(std::min<std::uint64_t>(*form_.packed - used_, piece->size())));
}

// All bytes are given before anything is said against them, however long the pieces are that come in.
Result<std::span<const std::byte>> ZipContent::next_inflated() {
  while (!inflated_) {
    const auto in = packed_bytes();
    if (!in) return in;
    auto step = inflater_->step(*in);
    if (!step) return fail(std::move(step.error()));
    cursor_.take(step->used);
    used_ += step->used;
    inflated_ = step->ended;
    if (step->made > 0) return given(std::span<const std::byte>(inflater_->out).first(step->made));
    if (in->empty() && !inflated_) return cut_off();
  }
  if (auto checked = check_end(); !checked) return fail(std::move(checked.error()));
  return std::span<const std::byte>{};
}

Result<> ZipContent::check_end() {
  ended_ = true;
  const bool same_size = !form_.size || given_ == *form_.size;
  if (same_size && (form_.descriptor || crc_ == form_.crc)) return {};
  return fail(ErrorKind::kCorrupt, "a file in the zip is not of the length or the digest that its header states");
}

Result<> ZipContent::pass() {
  if (!std::exchange(inside_, false)) return {};
  while (!form_.packed && !ended_) {
    if (auto piece = next(); !piece) return fail(std::move(piece.error()));
  }
  if (form_.packed) {
    auto gone = cursor_.skip(*form_.packed - used_);
    if (!gone) return fail(std::move(gone.error()));
    if (*gone != *form_.packed - used_) return cut_off();
  }
  return form_.descriptor ? pass_descriptor() : Result<>{};
}

Result<> ZipContent::pass_descriptor() {
  auto behind = cursor_.peek(kMostDescriptor + kMarkBehind);
  if (!behind) return fail(std::move(behind.error()));
  const std::size_t length = descriptor_length(*behind);
  if (length == 0) {
    return fail(ErrorKind::kCorrupt, "a file in the zip is not of the lengths or the digest that stand behind it");
  }
  cursor_.take(length);
  return {};
}

// The mark may be there or not, and the lengths have 4 or 8 bytes; nothing says which.
std::size_t ZipContent::descriptor_length(std::span<const std::byte> bytes) const {
  const std::uint64_t packed = form_.packed.value_or(used_);
  const auto size = ended_ ? std::optional(given_) : form_.size;
  const auto fits = [&](std::size_t at, std::size_t width) {
    const std::size_t end = at + 4 + 2 * width;
    if (bytes.size() < end + kMarkBehind || little<std::uint16_t>(bytes, end) != kMark) return false;
    const auto number = [&](std::size_t where) {
      return width == 4 ? little<std::uint32_t>(bytes, where) : little<std::uint64_t>(bytes, where);
    };
    if (number(at + 4) != packed || (size && number(at + 4 + width) != *size)) return false;
    return !ended_ || little<std::uint32_t>(bytes, at) == crc_;
  };
  const bool marked = bytes.size() >= 4 && little<std::uint32_t>(bytes, 0) == kDescriptorMark;
  for (const std::size_t at : {std::size_t{4}, std::size_t{0}}) {
    if (at == 4 && !marked) continue;
    for (const std::size_t width : {std::size_t{4}, std::size_t{8}}) {
      if (fits(at, width)) return at + 4 + 2 * width;
    }
  }
  return 0;
}

}  // namespace slipway::archive
