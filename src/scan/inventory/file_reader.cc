#include "scan/inventory/file_reader.h"

#include <algorithm>

namespace slipway::scan {

Result<std::string> read_whole(archive::ByteSource& content, std::uint64_t most, std::uint64_t expected) {
  std::string whole;
  whole.reserve(std::min(most, expected));
  for (;;) {
    const auto piece = content.next();
    if (!piece) return fail(piece.error());
    if (piece->empty()) return whole;
    if (piece->size() > most - whole.size()) {
      return fail(ErrorKind::kRejected, "it has more than {} bytes, which is all that is read of such a file", most);
    }
    whole.append(reinterpret_cast<const char*>(piece->data()), piece->size());
  }
}

}  // namespace slipway::scan
