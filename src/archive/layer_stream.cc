#include "archive/layer_stream.h"

#include <optional>

#include "base/digest.h"

namespace slipway::archive {
namespace {

Result<> check_digest(Hasher& hasher, const std::optional<std::string>& promised, std::string_view of) {
  if (!promised) return {};
  const std::string actual = to_hex(hasher.finish());
  if (actual == *promised) return {};
  return fail(ErrorKind::kCorrupt, "{} has the SHA-256 {} and not {}", of, actual, *promised);
}

}  // namespace

Result<std::span<const std::byte>> ContentSource::next() {
  auto piece = reader_.read();
  if (!piece) return fail(std::move(piece.error()));
  if (piece->bytes.empty()) return std::span<const std::byte>{};
  if (piece->offset != position_) return fail(ErrorKind::kUnsupported, "the layer is stored as a sparse file");
  position_ += piece->bytes.size();
  return piece->bytes;
}

Result<> read_layer(Reader& outer, const LayerPlace& place, const Limits& limits, const OnEntry& on_entry) {
  ContentSource content(outer);
  Hasher packed(HashAlgorithm::kSha256);
  Hasher unpacked(HashAlgorithm::kSha256);
  std::uint64_t size = 0;
  TapSource tap(content, [&](std::span<const std::byte> bytes) -> Result<> {
    if (place.digest) packed.update(bytes);
    size += bytes.size();
    return {};
  });
  TapSource::Watch watch;
  if (place.diff_id) {
    watch = [&](std::span<const std::byte> bytes) -> Result<> {
      unpacked.update(bytes);
      return {};
    };
  }
  auto layer = Reader::open(tap, limits, std::move(watch));
  if (!layer) return fail(std::move(layer.error()));
  for (std::uint32_t index = 0;; ++index) {
    auto entry = layer->next();
    if (!entry) return fail(std::move(entry.error()));
    if (*entry == nullptr) break;
    if (auto done = on_entry(index, *layer, **entry); !done) return done;
  }
  if (place.size && *place.size != size) {
    return fail(ErrorKind::kCorrupt, "it has {} bytes and not {}", size, *place.size);
  }
  if (auto same = check_digest(packed, place.digest, "the layer"); !same) return same;
  return check_digest(unpacked, place.diff_id, "the layer unpacked");
}

Result<std::string> read_text(Reader& reader, const Entry& entry, std::uint64_t most) {
  if (entry.size > most) {
    return fail(ErrorKind::kCorrupt, "{} has {} bytes, over the {} that are read of such a file", printable(entry.path),
                entry.size, most);
  }
  std::string text;
  for (;;) {
    auto piece = reader.read();
    if (!piece) return fail(std::move(piece.error()));
    if (piece->bytes.empty()) return text;
    if (piece->offset != text.size() || text.size() + piece->bytes.size() > most) {
      return fail(ErrorKind::kCorrupt, "{} is sparse, which no such file is", printable(entry.path));
    }
    text.append(reinterpret_cast<const char*>(piece->bytes.data()), piece->bytes.size());
  }
}

}  // namespace slipway::archive
