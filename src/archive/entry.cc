#include "archive/entry.h"

#include <fmt/format.h>

namespace slipway::archive {
namespace {

constexpr std::size_t kLongest = 200;

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '\\') {
      out += "\\\\";
    } else if (byte < 0x20 || byte > 0x7e) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
}

}  // namespace

std::string_view to_string(EntryType type) {
  switch (type) {
    case EntryType::kFile: return "file";
    case EntryType::kFolder: return "folder";
    case EntryType::kSymlink: return "symbolic link";
    case EntryType::kHardLink: return "hard link";
    case EntryType::kCharDevice: return "character device";
    case EntryType::kBlockDevice: return "block device";
    case EntryType::kFifo: return "FIFO";
    case EntryType::kSocket: return "socket";
  }
  return "unknown";
}

std::string printable(std::string_view bytes) {
  std::string out;
  if (bytes.size() <= kLongest) {
    append_escaped(out, bytes);
    return out;
  }
  append_escaped(out, bytes.substr(0, kLongest / 2));
  out += "...";
  append_escaped(out, bytes.substr(bytes.size() - kLongest / 2));
  return out;
}

}  // namespace slipway::archive
