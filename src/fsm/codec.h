// How requests and responses become bytes. A type with nlohmann's to_json/from_json is stored as JSON; a std::string
// is stored as it is, whatever its bytes; Nothing is stored as nothing. Specialise Codec for another form.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace slipway::fsm {

struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

template <class T>
struct Codec {
  [[nodiscard]] static Result<std::string> encode(const T& value) { return encode_json(value); }
  [[nodiscard]] static Result<T> decode(std::string_view bytes) { return decode_json<T>(bytes); }
};

template <>
struct Codec<std::string> {
  [[nodiscard]] static Result<std::string> encode(const std::string& value) { return value; }
  [[nodiscard]] static Result<std::string> decode(std::string_view bytes) { return std::string(bytes); }
};

template <>
struct Codec<Nothing> {
  [[nodiscard]] static Result<std::string> encode(const Nothing&) { return std::string(); }
  [[nodiscard]] static Result<Nothing> decode(std::string_view bytes) {
    if (!bytes.empty())
      return fail(ErrorKind::kCorrupt, "{} bytes stored where there is nothing to store", bytes.size());
    return Nothing{};
  }
};

}  // namespace slipway::fsm
