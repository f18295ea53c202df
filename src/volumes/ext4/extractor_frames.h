// Inside src/volumes/ext4 only: the words between the Extractor and its child, in the frames of
// archive/inspection_frames.h. Progress and errors are as there; the rest is:
//
//   order     {..., "fill": {"size": 1073741824, "zeroed": true, "label": "", "uuid": "0a...", "time":
//   1700000000000000}}
//             or {..., "look": {"size": 1073741824}}
//   word      {"written": [1048576, 99999999]}, for people
//   verdict   {"filled": {...}}  or  {"layout": {...}}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "archive/inspection_frames.h"
#include "volumes/ext4/fill.h"
#include "volumes/ext4/look.h"

namespace slipway::volumes::ext4 {

inline constexpr int kVolumeDescriptor = 4;  // the volume, at the child

struct FillOrder {
  std::uint64_t size = 0;
  bool zeroed = false;
  std::string label{};
  Uuid uuid{};
  TimePoint time{};
};
struct LookOrder {
  std::uint64_t size = 0;
};

struct ExtractorOrder {
  archive::Order common{};
  std::variant<FillOrder, LookOrder> task{};
};

struct Written {
  std::uint64_t bytes = 0;
  std::uint64_t most = 0;
};

using ExtractorWord = std::variant<archive::Progress, Written, Filled, Layout, Error>;

[[nodiscard]] std::string order_frame(const ExtractorOrder& order);
[[nodiscard]] std::string frame(const Written& written);
[[nodiscard]] std::string frame(const Filled& filled);
[[nodiscard]] std::string frame(const Layout& layout);

// The body of a frame. kCorrupt: not of a known shape.
[[nodiscard]] Result<ExtractorOrder> parse_extractor_order(std::string_view body);
[[nodiscard]] Result<ExtractorWord> parse_extractor_word(std::string_view body);

}  // namespace slipway::volumes::ext4
