// Inside src/archive only: a layer's archive read out of the image's, and what it promised checked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "archive/byte_source.h"
#include "archive/image.h"
#include "archive/reader.h"
#include "archive/unpack_meter.h"

namespace slipway::archive {

// The content of a reader's present entry as a source. Sparse content is refused: nobody packs a layer so.
class ContentSource : public ByteSource {
 public:
  explicit ContentSource(Reader& reader) : reader_(reader) {}
  [[nodiscard]] Result<std::span<const std::byte>> next() override;

 private:
  Reader& reader_;
  std::uint64_t position_ = 0;
};

// Called for each entry of the layer, `index` from 0; may read its content.
using OnEntry = std::function<Result<>(std::uint32_t index, Reader& layer, const Entry& entry)>;

// `outer` stands at the entry of an archive that serves as the layers `uses`, at least one. All of it is counted on
// `meter`. kCorrupt: the archive is damaged, or not of the size and digests that each of these layers promises.
[[nodiscard]] Result<> read_layer(Reader& outer, std::span<const LayerPlace* const> uses, UnpackMeter& meter,
                                  const OnEntry& on_entry);

// How often replay() has to read the file when all is wanted.
[[nodiscard]] std::size_t passes_to_replay(const Survey& survey);

// The text of a reader's present entry; kCorrupt when it has more than `most` bytes.
[[nodiscard]] Result<std::string> read_text(Reader& reader, const Entry& entry, std::uint64_t most);

}  // namespace slipway::archive
