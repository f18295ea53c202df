// What a transition may return.
//
//   return fsm::next(response);                 persisted with the completion; then the next transition runs
//   return fsm::go_to("download", response);    the same, but on to a named transition (or the end state)
//   return fsm::await(run, response);           persisted; the next transition runs when that other run has ended, well
//                                               or badly, or is parked. Until then this one holds no thread and no
//                                               place in a queue
//   return fsm::handoff(response);              the work was done already: the run is complete
//   return fsm::error(err);                     tried again by the transition's policy, then the run fails
//   return result.error().during("...");        the same: a failed Result is an error
//   return fsm::abort(err);                     no retry; the run ends aborted (validation, security, exhaustion)
//   return fsm::unrecoverable(err, blame);      no retry; the run ends failed (corruption, permanent errors)
//
// An exception that leaves a handler is an error like any other, recorded with its text.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <variant>

#include "base/error.h"
#include "fsm/version.h"

namespace slipway::fsm {

enum class Blame : std::uint8_t { kSystem, kUser };

template <class Response>
struct Next {
  Response response;
};
template <class Response>
struct GoTo {
  std::string transition;
  Response response;
};
template <class Response>
struct Await {
  RunVersion run;
  Response response;
};
template <class Response>
struct Handoff {
  Response response;
};
struct Errored {
  Error error;
};
struct Aborted {
  Error error;
};
struct Unrecoverable {
  Error error;
  Blame blame = Blame::kSystem;
};

template <class Response>
using OutcomeOf =
    std::variant<Next<Response>, GoTo<Response>, Await<Response>, Handoff<Response>, Errored, Aborted, Unrecoverable>;

// The same with the response encoded: what interceptors see and the runtime decides on.
using EncodedOutcome = OutcomeOf<std::string>;

template <class Response>
class Outcome {
 public:
  template <class Alternative>
    requires std::constructible_from<OutcomeOf<Response>, Alternative>
  Outcome(Alternative&& outcome)  // NOLINT(google-explicit-constructor): `return fsm::next(r);` is the point
      : value_(std::forward<Alternative>(outcome)) {}
  Outcome(std::unexpected<Error> error)  // NOLINT(google-explicit-constructor): so is `return result.error().during()`
      : value_(Errored{std::move(error).error()}) {}

  [[nodiscard]] OutcomeOf<Response>& value() { return value_; }

 private:
  OutcomeOf<Response> value_;
};

template <class Response>
[[nodiscard]] Next<Response> next(Response response) {
  return {std::move(response)};
}
template <class Response>
[[nodiscard]] GoTo<Response> go_to(std::string transition, Response response) {
  return {std::move(transition), std::move(response)};
}
template <class Response>
[[nodiscard]] Await<Response> await(RunVersion run, Response response) {
  return {run, std::move(response)};
}
template <class Response>
[[nodiscard]] Handoff<Response> handoff(Response response) {
  return {std::move(response)};
}
[[nodiscard]] inline Errored error(Error error) { return {std::move(error)}; }
[[nodiscard]] inline Aborted abort(Error error) { return {std::move(error)}; }
[[nodiscard]] inline Unrecoverable unrecoverable(Error error, Blame blame = Blame::kSystem) {
  return {std::move(error), blame};
}

}  // namespace slipway::fsm
