// Whatever the bytes, and in whatever pieces they come: the same elements, or the same error; and what is handed out as
// an element lies within the document.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "archive/byte_source.h"
#include "feeds/formats/json_elements.h"

namespace {

using slipway::Result;

class Pieces : public slipway::archive::ByteSource {
 public:
  Pieces(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  Result<std::span<const std::byte>> next() override {
    const auto now = bytes_.substr(0, piece_);
    bytes_.remove_prefix(now.size());
    return std::as_bytes(std::span(now));
  }

 private:
  std::string_view bytes_;
  std::size_t piece_;
};

std::string elements(std::string_view bytes, std::size_t piece, bool members) {
  Pieces source(bytes, piece);
  slipway::feeds::JsonElements cut(source, {.lists = {"items", "v"}, .members = members, .deepest = 50});
  std::string found;
  for (;;) {
    const auto next = cut.next();
    if (!next) return found + "!" + next.error().message();
    if (!*next) return found;
    if (bytes.find((*next)->text) == std::string_view::npos) std::abort();
    found += std::to_string(static_cast<int>((*next)->kind)) + std::string((*next)->name) + ":" +
             std::string((*next)->text) + "\n";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool members : {false, true}) {
    const auto whole = elements(bytes, size + 1, members);
    if (elements(bytes, 1, members) != whole || elements(bytes, 3, members) != whole) std::abort();
  }
  return 0;
}
