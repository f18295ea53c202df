// What a handler is given. It lives as long as the call, and is used from the handler's thread (the stop token, as
// always, from any).
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "fsm/run.h"
#include "fsm/version.h"

namespace slipway::fsm {

enum class StopCause : std::uint8_t { kNone, kCancel, kTimeout, kShutdown };

struct ProgressNote {
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: unknown
  std::string_view unit;
};

// The runtime's side of one call: how a context reaches back.
class AttemptLink {
 public:
  AttemptLink() = default;
  AttemptLink(const AttemptLink&) = delete;
  AttemptLink& operator=(const AttemptLink&) = delete;
  virtual ~AttemptLink() = default;

  [[nodiscard]] virtual StopCause stop_cause() const = 0;
  [[nodiscard]] virtual Logger logger() const = 0;
  virtual void progress(const ProgressNote& note) = 0;
};

class RunContext {
 public:
  // Filled by the runtime, one a call.
  struct Facts {
    const RunSpec* run = nullptr;
    std::string_view transition;
    std::uint32_t arrival = 0;
    std::uint32_t retry = 0;
    bool resumed = false;
    std::stop_token stop;
    AttemptLink* link = nullptr;
  };

  explicit RunContext(Facts facts) : facts_(std::move(facts)) {}

  [[nodiscard]] const std::string& machine() const { return facts_.run->machine; }
  [[nodiscard]] const std::string& id() const { return facts_.run->id; }
  [[nodiscard]] RunVersion version() const { return facts_.run->version; }
  [[nodiscard]] std::optional<RunVersion> parent() const { return facts_.run->parent; }

  [[nodiscard]] std::string_view transition() const { return facts_.transition; }
  [[nodiscard]] TransitionVersion transition_version() const { return {facts_.run->version, facts_.arrival}; }
  [[nodiscard]] std::uint32_t retry() const { return facts_.retry; }  // 0: the first try
  // The run was taken up again after a restart, and this is its first try since: an earlier try of this transition may
  // have been cut off at any point. (Or there was none: only the outside world can tell.)
  [[nodiscard]] bool resumed() const { return facts_.resumed; }

  // Fires on cancel, timeout and shutdown. A handler that heeds it returns soon, with an error. Callbacks on it run on
  // the runtime's threads: they must not block.
  [[nodiscard]] const std::stop_token& stop() const { return facts_.stop; }
  [[nodiscard]] StopCause stop_cause() const { return facts_.link->stop_cause(); }

  [[nodiscard]] Logger log() const { return facts_.link->logger(); }  // with machine, id, run, transition as fields
  void progress(const ProgressNote& note) const { facts_.link->progress(note); }

 private:
  Facts facts_;
};

template <class Request, class Response>
class Context : public RunContext {
 public:
  Context(const RunContext& run, const Request& request, const Response& response)
      : RunContext(run), request_(request), response_(response) {}

  [[nodiscard]] const Request& request() const { return request_; }
  // Of the last completed transition; a Response{} before the first.
  [[nodiscard]] const Response& response() const { return response_; }

 private:
  const Request& request_;
  const Response& response_;
};

}  // namespace slipway::fsm
