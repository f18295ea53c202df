#include "objects/object_source.h"

#include <algorithm>
#include <string_view>

#include "objects/uri.h"

namespace slipway::objects {
namespace {

constexpr std::size_t kMaxKey = 1024;

}  // namespace

Result<> check_range(const RangeRequest& request) {
  if (auto key = check_key(request.key); !key) return key;
  const bool empty = request.length == 0;
  if (empty != (request.object_size == 0) || request.offset > request.object_size ||
      request.length > request.object_size - request.offset) {
    return fail(ErrorKind::kInvalid, "{} bytes from byte {} do not lie in an object of {} bytes", request.length,
                request.offset, request.object_size);
  }
  return {};
}

Result<> check_key(std::string_view key) {
  const auto bad = [&](std::string_view rule) { return fail(ErrorKind::kInvalid, "the key {} {}", shown(key), rule); };
  if (key.empty()) return fail(ErrorKind::kInvalid, "the key is empty");
  if (key.size() > kMaxKey) {
    return fail(ErrorKind::kInvalid, "the key {}… has {} bytes: at most {} are allowed", shown(key.substr(0, 40)),
                key.size(), kMaxKey);
  }
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return bad("has a control byte");
  }
  if (key.front() == '/') return bad("begins with a slash");
  for (std::size_t at = 0; at <= key.size();) {
    const std::size_t end = std::min(key.find('/', at), key.size());
    const std::string_view segment = key.substr(at, end - at);
    if (segment.empty()) return bad("has an empty part between slashes, or ends with one");
    if (segment == "." || segment == "..") return bad("has a part that is . or ..");
    at = end + 1;
  }
  return {};
}

}  // namespace slipway::objects
