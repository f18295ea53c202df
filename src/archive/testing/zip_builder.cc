#include "archive/testing/zip_builder.h"

#include <algorithm>
#include <stdexcept>

#include <zlib.h>

namespace slipway::archive {
namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i, value >>= 8U) out += static_cast<char>(value & 0xffU);
  return out;
}

std::string deflated(std::string_view text) {
  z_stream stream{};
  if (::deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

}  // namespace

ZipBuilder& ZipBuilder::file(std::string_view name, std::string_view content, const ZipForm& form) {
  using Lengths = ZipForm::Lengths;
  const bool behind = form.lengths != Lengths::kBefore && form.lengths != Lengths::kWideBefore;
  const bool wide = form.lengths == Lengths::kWideBefore;
  const bool blank = behind && form.lengths != Lengths::kBoth;
  const std::string packed = form.stored ? std::string(content) : deflated(content);
  const auto digest = ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  const std::string extra =
      wide ? number(1, 2) + number(16, 2) + number(content.size(), 8) + number(packed.size(), 8) : std::string();
  const std::string begin = number(wide ? 45 : 20, 2) + number((behind ? 8U : 0U) | (form.encrypted ? 1U : 0U), 2) +
                            number(form.stored ? 0 : form.method, 2) + number(0, 4);
  const std::uint64_t at = bytes_.size();

  bytes_ += "PK\x03\x04" + begin + number(blank ? 0 : digest, 4);
  bytes_ += wide ? number(0xffffffff, 4) + number(0xffffffff, 4)
                 : number(blank ? 0 : packed.size(), 4) + number(blank ? 0 : content.size(), 4);
  bytes_ += number(name.size(), 2) + number(extra.size(), 2);
  bytes_.append(name).append(extra).append(packed);
  if (behind) {
    const int width = form.lengths == Lengths::kWide ? 8 : 4;
    if (form.lengths != Lengths::kUnmarked) bytes_ += "PK\x07\x08";
    bytes_ += number(digest, 4) + number(packed.size(), width) + number(content.size(), width);
  }
  if (form.unlisted) return *this;
  listed_.push_back({.begin = "PK\x01\x02" + number(20, 2) + begin + number(digest, 4) + number(packed.size(), 4) +
                              number(content.size(), 4),
                     .name = std::string(form.listed_as.empty() ? name : form.listed_as),
                     .at = at,
                     .far = form.far});
  return *this;
}

ZipBuilder& ZipBuilder::list_backwards() {
  std::ranges::reverse(listed_);
  return *this;
}

std::string ZipBuilder::finish(const ZipEnd& end) const {
  std::string directory;
  for (const Listed& one : listed_) {
    const std::uint64_t at = end.before + one.at;
    const std::string extra = one.far ? number(1, 2) + number(8, 2) + number(at, 8) : std::string();
    directory += one.begin + number(one.name.size(), 2) + number(extra.size(), 2) + number(0, 2 + 2 + 2 + 4) +
                 number(one.far ? 0xffffffff : at, 4) + one.name + extra;
  }
  const std::uint64_t at = end.before + bytes_.size();
  const std::string count = number(listed_.size(), 8);
  std::string wide;
  if (end.wide) {
    wide = "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + count + count +
           number(directory.size(), 8) + number(at, 8);
    wide += "PK\x06\x07" + number(0, 4) + number(at + directory.size(), 8) + number(1, 4);
  }
  const std::uint64_t few = end.wide ? 0xffff : listed_.size();
  std::string out = bytes_ + directory + wide + "PK\x05\x06" + number(0, 4) + number(few, 2) + number(few, 2);
  out += number(end.wide ? 0xffffffff : directory.size(), 4) + number(end.wide ? 0xffffffff : at, 4);
  out += number(end.comment.size(), 2);
  return out.append(end.comment);
}

}  // namespace slipway::archive
