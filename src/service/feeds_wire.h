// What the owner of the feeds and its clients say to each other: one JSON object a line. Reading trusts nothing: what
// is not of this shape is kCorrupt.
//
//   client: {"protocol": 1, "do": "sync", "ids": […], "settings": {…}}                no ids: all
//           {"protocol": 1, "do": "start" | "pause" | "resume" | "stop", "ids": […]}
//           {"protocol": 1, "do": "stats"}
//   owner:  {"stats": {…}} …, {"done": true}     to a sync: as it goes, until those are at rest
//           {"stats": {…}}                       to the others, when it is done
//           {"error": {…}}                       to anything, and last; "unavailable" is "not now"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "feeds/macro_machine.h"
#include "service/wire.h"

namespace slipway::service {

struct FeedsStats {
  feeds::MacroStats macro{};
  std::vector<feeds::ProviderStats> providers{};  // in the order of their start
};

struct FeedsSync {
  std::vector<std::string> ids{};
  Settings settings{};  // an owner with others refuses
};
enum class FeedsVerb : std::uint8_t { kStart, kPause, kResume, kStop };
struct FeedsCommand {
  FeedsVerb verb = FeedsVerb::kStart;
  std::vector<std::string> ids{};
};
struct FeedsAsk {};
using FeedsRequest = std::variant<FeedsSync, FeedsCommand, FeedsAsk>;

[[nodiscard]] std::string_view to_string(FeedsVerb verb);  // "start", ...

[[nodiscard]] Result<std::string> encode(const FeedsRequest& request);
[[nodiscard]] Result<FeedsRequest> decode_feeds_request(std::string_view line);

using FeedsAnswer = std::variant<FeedsStats, Done, Error>;

[[nodiscard]] Result<std::string> encode(const FeedsAnswer& answer);
[[nodiscard]] Result<FeedsAnswer> decode_feeds_answer(std::string_view line);

}  // namespace slipway::service
