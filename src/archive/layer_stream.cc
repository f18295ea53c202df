#include "archive/layer_stream.h"

#include <algorithm>
#include <optional>

#include "base/digest.h"

namespace slipway::archive {
namespace {

// What the bytes of a layer are, as far as anybody promised it.
struct Measured {
  std::uint64_t size = 0;
  std::string digest{};
  std::string diff_id{};
};

Result<> check_digest(const std::string& actual, const std::optional<std::string>& promised, std::string_view of) {
  if (!promised || actual == *promised) return {};
  return fail(ErrorKind::kCorrupt, "{} has the SHA-256 {} and not {}", of, actual, *promised);
}

Result<> check_promises(const LayerPlace& place, const Measured& measured) {
  if (place.size && *place.size != measured.size) {
    return fail(ErrorKind::kCorrupt, "it has {} bytes and not {}", measured.size, *place.size);
  }
  if (auto same = check_digest(measured.digest, place.digest, "the layer"); !same) return same;
  return check_digest(measured.diff_id, place.diff_id, "the layer unpacked");
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

Result<> read_layer(Reader& outer, std::span<const LayerPlace* const> uses, UnpackMeter& meter,
                    const OnEntry& on_entry) {
  const bool with_digest = std::ranges::any_of(uses, [](const LayerPlace* use) { return use->digest.has_value(); });
  const bool with_diff_id = std::ranges::any_of(uses, [](const LayerPlace* use) { return use->diff_id.has_value(); });
  ContentSource content(outer);
  Hasher packed(HashAlgorithm::kSha256);
  Hasher unpacked(HashAlgorithm::kSha256);
  Measured measured;
  TapSource tap(content, [&](std::span<const std::byte> bytes) -> Result<> {
    if (with_digest) packed.update(bytes);
    measured.size += bytes.size();
    return {};
  });
  auto layer = Reader::open(tap, meter, [&](std::span<const std::byte> bytes) -> Result<> {
    if (with_diff_id) unpacked.update(bytes);
    return {};
  });
  if (!layer) return fail(std::move(layer.error()));
  for (std::uint32_t index = 0;; ++index) {
    auto entry = layer->next();
    if (!entry) return fail(std::move(entry.error()));
    if (*entry == nullptr) break;
    if (auto done = on_entry(index, *layer, **entry); !done) return done;
  }
  if (with_digest) measured.digest = to_hex(packed.finish());
  if (with_diff_id) measured.diff_id = to_hex(unpacked.finish());
  for (const LayerPlace* use : uses) {
    if (auto kept = check_promises(*use, measured); !kept) return kept;
  }
  return {};
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
