// JSON with our errors: parsing and writing never throw. Typed values use nlohmann's to_json/from_json by ADL.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace slipway {

using Json = nlohmann::json;

// kCorrupt with the byte at which it went wrong. Nesting is limited: hostile input cannot exhaust the stack.
[[nodiscard]] Result<Json> parse_json(std::string_view text);

// kInvalid when a string in it is not UTF-8: JSON cannot carry it, and replacing bytes would be a silent change.
[[nodiscard]] Result<std::string> write_json(const Json& value);

template <class T>
[[nodiscard]] Result<std::string> encode_json(const T& value) {
  try {
    return write_json(Json(value));
  } catch (const std::exception& e) {
    return fail(ErrorKind::kInvalid, "cannot be written as JSON: {}", e.what());
  }
}

template <class T>
[[nodiscard]] Result<T> decode_json(std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed) return fail(std::move(parsed.error()));
  try {
    return parsed->template get<T>();
  } catch (const std::exception& e) {
    return fail(ErrorKind::kCorrupt, "JSON is not of the expected shape: {}", e.what());
  }
}

}  // namespace slipway
