// A machine as the runtime sees it: names, policies, and handlers over encoded payloads. Programs make one with the
// typed builder of fsm/machine.h, and have no need to look here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "fsm/context.h"
#include "fsm/outcome.h"
#include "fsm/policy.h"
#include "fsm/run.h"

namespace slipway::fsm {

// The encoded payloads of one call.
struct Payload {
  std::string_view request;
  std::string_view response;  // empty before the first completion
};

using Handler = std::function<EncodedOutcome(const RunContext&, const Payload&)>;

// Runs in every process that takes the run up, before the first transition it runs there. Its error counts as an error
// of that transition.
using Initializer = std::function<Result<>(const RunContext&, const Payload&)>;

// Runs when the end is decided, whatever it is, and again when a crash cut it off. Its error is recorded, and changes
// nothing about the end. That of a run which was cancelled while it waited does not wait for a place in the queue.
using Finalizer = std::function<Result<>(const RunContext&, const Payload&, const Finishing&)>;

// Wraps each try of each transition: calls `go_on` (or does not) and gives its outcome (or another).
using Interceptor = std::function<EncodedOutcome(const RunContext&, const std::function<EncodedOutcome()>& go_on)>;

// Makes a run's request from the response of the run that it follows and the request that it was started with.
using RequestBuilder =
    std::function<Result<std::string>(std::string_view predecessor_response, std::string_view given_request)>;

struct Transition {
  std::string name;
  Handler handler;
  TransitionPolicy policy;
};

struct Definition {
  std::string name;
  std::string resource;  // a label for metrics: what its ids are ids of
  std::vector<Transition> transitions;
  std::string end;
  OnUnknownTransition on_unknown_transition = OnUnknownTransition::kFail;
  std::vector<Initializer> initializers;
  std::vector<Finalizer> finalizers;
  std::vector<Interceptor> interceptors;
  std::map<std::string, RequestBuilder> follows;  // by the predecessor's machine

  [[nodiscard]] const Transition* find(std::string_view transition) const;
  [[nodiscard]] Plan plan() const;
};

// kInvalid when the definition cannot work: bad or double names, no transitions, no handler.
[[nodiscard]] Result<> check(const Definition& definition);

// Machines, transitions, queues: 1 to 128 of A-Z a-z 0-9 . _ -, so that they can stand in logs, labels and file names.
[[nodiscard]] Result<> check_name(std::string_view what, std::string_view name);
// Run ids: 1 to 1024 bytes, any.
[[nodiscard]] Result<> check_id(std::string_view id);

}  // namespace slipway::fsm
