#include "base/json.h"

namespace slipway {
namespace {

constexpr int kDeepest = 256;

}  // namespace

Result<Json> parse_json(std::string_view text) {
  bool too_deep = false;
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) {
      too_deep = true;
      throw std::length_error("too deep");
    }
    return true;
  };
  try {
    return Json::parse(text, limit_depth);
  } catch (const Json::parse_error& e) {
    return fail(ErrorKind::kCorrupt, "not JSON at byte {}: {}", e.byte, e.what());
  } catch (const std::exception& e) {
    if (too_deep) return fail(ErrorKind::kCorrupt, "JSON is nested deeper than {} levels", kDeepest);
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
