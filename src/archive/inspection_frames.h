// The words between the Inspector and its child: frames of a length (4 bytes, little-endian) and that many bytes of
// JSON. The parent sends one, the order; the child sends any number of progress frames and one verdict.
//
//   order     {"policy": {...}, "parent": 4711, "size": 123, "cpu_seconds": 3600}
//   progress  {"read": 123}, bytes of the file passed so far, over all the times it was read
//   verdict   {"inspection": {...}}  or  {"error": {"kind": "rejected", "message": "...", "hint": "..."}}
//
// What comes from the child is taken for an attack: it has been reading hostile bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "archive/inspector.h"
#include "archive/policy.h"
#include "base/error.h"
#include "base/json.h"

namespace slipway::archive {

inline constexpr std::size_t kMaxFrame = 4UL << 20;  // a thousand findings take less than one

struct Order {
  Policy policy{};
  std::int64_t parent = 0;  // its process id
  std::uint64_t size = 0;   // of the file
  std::uint64_t cpu_seconds = 0;
};

struct Progress {
  std::uint64_t read = 0;
};

using Word = std::variant<Progress, Inspection, Error>;

// With the length in front. Text that JSON cannot carry becomes an error frame.
[[nodiscard]] std::string order_frame(const Order& order);
[[nodiscard]] std::string frame(const Progress& progress);
[[nodiscard]] std::string frame(const Inspection& inspection);
[[nodiscard]] std::string frame(const Error& error);

// The body of a frame. kCorrupt: not of a known shape, or with more in it than it may have.
[[nodiscard]] Result<Order> parse_order(std::string_view body);
[[nodiscard]] Result<Word> parse_word(std::string_view body);

// The same for children with verdicts of their own: what is neither progress nor an error is left as it is.
using AnyWord = std::variant<Progress, Json, Error>;
[[nodiscard]] Result<AnyWord> parse_any_word(std::string_view body);
[[nodiscard]] Result<Inspection> inspection_from_json(const Json& json);
[[nodiscard]] Json order_to_json(const Order& order);
[[nodiscard]] Result<Order> order_from_json(const Json& json);
[[nodiscard]] std::string json_frame(const Json& json);
// A whole number of at least 0 with this name.
[[nodiscard]] std::optional<std::uint64_t> number_in(const Json& object, const char* key);

// The length that stands in the 4 bytes at the front of `text`.
[[nodiscard]] std::uint32_t frame_length(std::string_view text);
inline constexpr std::size_t kFrameHead = 4;

}  // namespace slipway::archive
