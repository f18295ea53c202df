// Members of JSON from outside: what is missing or of another type counts as empty.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace slipway::scan {

// Empty when `object` is none, or the member no text.
[[nodiscard]] inline const std::string& text_field(const Json& object, std::string_view key) {
  static const std::string empty;
  if (!object.is_object()) return empty;
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get_ref<const std::string&>() : empty;
}

// null when it is not there.
[[nodiscard]] inline const Json& field(const Json& object, std::string_view key) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(key);
  return found != object.end() ? *found : null;
}

[[nodiscard]] inline const Json::array_t& list_field(const Json& object, std::string_view key) {
  static const Json::array_t empty;
  const Json& found = field(object, key);
  return found.is_array() ? found.get_ref<const Json::array_t&>() : empty;
}

}  // namespace slipway::scan
