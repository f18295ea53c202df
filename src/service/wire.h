// What an owner of runs and its clients say to each other: one JSON object a line (service/owner_server.h). Reading
// trusts nothing: a line that is too long or not of this shape is kCorrupt.
//
//   client: {"protocol": 1, "do": "start", "machine": …, "id": …, "request": …, "queue": …, "settings": {…}}
//           {"protocol": 1, "do": "follow" | "unpark", "run": …}
//           {"protocol": 1, "do": "cancel", "run": …, "cause": …}
//   owner:  {"started": {"run": …, "already_running": …}}     to a start, then what a follow gets
//           {"event": {…}} …, {"ended": {…}}                   to a follow, once the run has ended
//           {"done": true}                                     to a cancel or an unpark
//           {"error": {"kind": …, "message": …, "hint": …}}    to anything, and last. "unavailable" is
//                                                              "not now": the client may come again
#pragma once

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "base/json.h"
#include "fsm/event.h"
#include "fsm/manager.h"

namespace slipway::service {

inline constexpr int kProtocol = 1;
inline constexpr std::size_t kMaxLine = std::size_t{4} << 20;

// --- Requests ---

// By name, the settings that decide where work takes its things from and puts them. An owner that has others does not
// do the work: it would be done, but not what was asked for.
using Settings = std::map<std::string, std::string>;

// A run to be started, with its request encoded as the machine's types have it.
struct Work {
  std::string machine{};
  std::string id{};
  std::string request{};
  std::string queue{};
  Settings settings{};
};
struct Follow {
  fsm::RunVersion run{};
};
struct Cancel {
  fsm::RunVersion run{};
  std::string cause{};
};
struct Unpark {
  fsm::RunVersion run{};
};
using Request = std::variant<Work, Follow, Cancel, Unpark>;

[[nodiscard]] Result<std::string> encode(const Request& request);  // without the end of the line
[[nodiscard]] Result<Request> decode_request(std::string_view line);

// kConflict when `wanted` has something that `here` has not, with its name and both values. `what` is owned: "runs".
[[nodiscard]] Result<> check_same(const Settings& here, const Settings& wanted, std::string_view what);

// --- Answers ---

struct Done {};
using Answer = std::variant<fsm::Started, fsm::RunEvent, fsm::RunResult, Done, Error>;

[[nodiscard]] Result<std::string> encode(const Answer& answer);
// What is said to a client who is one too many: an answer, and an error of kind kUnavailable.
[[nodiscard]] std::string busy_line(std::string_view what, std::size_t clients);
[[nodiscard]] Result<Answer> decode_answer(std::string_view line);

// --- Parts of messages ---

[[nodiscard]] Json error_to_json(const std::optional<Error>& error);   // null when there is none
[[nodiscard]] std::optional<Error> error_from_json(const Json& json);  // throws when it is of another shape

// `read` of a line's JSON, with what it throws made kCorrupt.
template <class T, class Read>
[[nodiscard]] Result<T> decode_line(std::string_view line, Read read) {
  auto json = parse_json(line);
  if (!json) return fail(std::move(json.error()));
  try {
    return read(*json);
  } catch (const std::exception& e) {
    return fail(ErrorKind::kCorrupt, "a message is not of the expected shape: {}", e.what());
  }
}

}  // namespace slipway::service
