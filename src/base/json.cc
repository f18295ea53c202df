#include "base/json.h"

#include <cstddef>

namespace slipway {
namespace {

constexpr int kDeepest = 256;

// Looked at before it is parsed: a parser with a callback, which could stop at a depth, searches each list from its
// beginning whenever an element of it ends.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  if (is_too_deep(text)) return fail(ErrorKind::kCorrupt, "JSON is nested deeper than {} levels", kDeepest);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    return fail(ErrorKind::kCorrupt, "not JSON at byte {}: {}", e.byte, e.what());
  } catch (const std::exception& e) {
    return fail(ErrorKind::kCorrupt, "not JSON: {}", e.what());
  }
}

Result<std::string> write_json(const Json& value) {
  try {
    return value.dump();
  } catch (const std::exception& e) {
    return fail(ErrorKind::kInvalid, "cannot be written as JSON: {}", e.what());
  }
}

}  // namespace slipway
