// Defining a machine, with types.
//
//   auto hello = fsm::machine<HelloRequest, HelloResponse>("hello")
//                    .start("greet", greet)
//                    .to("process", process, {.retry = fsm::fixed(2, 100ms), .timeout = 30s})
//                    .end("complete")
//                    .add_to(manager);                     // Result<Machine<HelloRequest, HelloResponse>>
//   auto run = hello->start("test-run-1", {.name = "World"}, {.queue = "greetings"});
//   Result<HelloResponse> answer = hello->wait(*run);
//
// A handler is anything callable as `Outcome<Response>(const Context<Request, Response>&)`; it is called from several
// threads at once, for different runs. The order start, to..., end, add_to is checked by the compiler.
//
// Chaining: a machine says from whose response its request can be made,
//
//   auto unpack = fsm::machine<UnpackRequest, UnpackResponse>("unpack")
//                     .follows(*download, [](const DownloadResponse& from, UnpackRequest given) {
//                       given.path = from.path;
//                       return given;
//                     })...
//   unpack->start(id, {}, {.after = *download_run});
//
// and since that is part of the definition, the hand-over survives a crash between the two. The function must be pure:
// it runs again whenever the run is taken up. The typed request is rebuilt from what is stored, never stored twice.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "fsm/codec.h"
#include "fsm/context.h"
#include "fsm/definition.h"
#include "fsm/manager.h"
#include "fsm/outcome.h"

namespace slipway::fsm {

// A registered machine. A cheap value; its manager must outlive it.
template <class Request, class Response>
class Machine {
 public:
  Machine(Manager& manager, std::string name) : manager_(&manager), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] Result<Started> start(std::string id, const Request& request, StartOptions options = {}) const {
    auto encoded = Codec<Request>::encode(request);
    if (!encoded) return encoded.error().during("start {}: request", name_);
    return manager_->start(name_, {std::move(id), std::move(*encoded), std::move(options)});
  }

  // The response of a run of this machine that ended well; else its failure.
  [[nodiscard]] Result<Response> wait(RunVersion version, std::optional<TimePoint> deadline = {}) const {
    return response_of(manager_->wait(version, deadline));
  }
  // Of the newest run of this id.
  [[nodiscard]] Result<Response> wait_latest(const std::string& id, std::optional<TimePoint> deadline = {}) const {
    return response_of(manager_->wait_latest(name_, id, deadline));
  }

 private:
  [[nodiscard]] Result<Response> response_of(Result<RunResult> result) const {
    if (!result) return fail(std::move(result.error()));
    if (result->machine != name_) {
      return fail(ErrorKind::kNotFound, "run {} is of machine {}, not {}", result->version, result->machine, name_);
    }
    if (result->error) return fail(std::move(*result->error));
    if (result->response.empty()) return Response{};
    return Codec<Response>::decode(result->response);
  }

  Manager* manager_;
  std::string name_;
};

namespace internal {

enum class Stage : std::uint8_t { kEmpty, kOpen, kEnded };

template <Stage have, Stage want>
concept At = have == want;

// Decodes what is stored, then calls `use` with a typed context.
template <class Request, class Response, class Use>
auto with_typed(const RunContext& run, const Payload& payload, Use&& use)
    -> Result<std::invoke_result_t<Use, const Context<Request, Response>&>> {
  auto request = Codec<Request>::decode(payload.request);
  if (!request) return request.error().during("stored request");
  Result<Response> response = Response{};
  if (!payload.response.empty()) response = Codec<Response>::decode(payload.response);
  if (!response) return response.error().during("stored response");
  return use(Context<Request, Response>(run, *request, *response));
}

template <class Response>
EncodedOutcome encode(OutcomeOf<Response>& outcome) {
  return std::visit(
      [](auto& alternative) -> EncodedOutcome {
        using Alternative = std::remove_cvref_t<decltype(alternative)>;
        if constexpr (requires { alternative.response; }) {
          auto encoded = Codec<Response>::encode(alternative.response);
          if (!encoded) return Unrecoverable{encoded.error().during("response").error()};
          if constexpr (std::same_as<Alternative, GoTo<Response>>) {
            return GoTo<std::string>{std::move(alternative.transition), std::move(*encoded)};
          } else if constexpr (std::same_as<Alternative, Await<Response>>) {
            return Await<std::string>{alternative.run, std::move(*encoded)};
          } else if constexpr (std::same_as<Alternative, Handoff<Response>>) {
            return Handoff<std::string>{std::move(*encoded)};
          } else {
            return Next<std::string>{std::move(*encoded)};
          }
        } else {
          return std::move(alternative);
        }
      },
      outcome);
}

}  // namespace internal

template <class Request, class Response, internal::Stage stage = internal::Stage::kEmpty>
class MachineBuilder {
  using Stage = internal::Stage;
  using TypedContext = Context<Request, Response>;

 public:
  explicit MachineBuilder(Definition definition) : definition_(std::move(definition)) {}

  template <std::invocable<const TypedContext&> H>
  [[nodiscard]] auto start(std::string transition, H handler, TransitionPolicy policy = {}) &&
    requires internal::At<stage, Stage::kEmpty>
  {
    add(std::move(transition), std::move(handler), policy);
    return MachineBuilder<Request, Response, Stage::kOpen>(std::move(definition_));
  }

  template <std::invocable<const TypedContext&> H>
  [[nodiscard]] MachineBuilder&& to(std::string transition, H handler, TransitionPolicy policy = {}) &&
    requires internal::At<stage, Stage::kOpen>
  {
    add(std::move(transition), std::move(handler), policy);
    return std::move(*this);
  }

  // Names the state after the last transition; go_to(name) ends the run there.
  [[nodiscard]] auto end(std::string name) &&
    requires internal::At<stage, Stage::kOpen>
  {
    definition_.end = std::move(name);
    return MachineBuilder<Request, Response, Stage::kEnded>(std::move(definition_));
  }

  // What follows may stand anywhere before add_to().

  // What the ids are ids of: a label of the metrics. Default: the machine's name.
  [[nodiscard]] MachineBuilder&& resource(std::string label) && {
    definition_.resource = std::move(label);
    return std::move(*this);
  }

  [[nodiscard]] MachineBuilder&& on_unknown_transition(OnUnknownTransition what) && {
    definition_.on_unknown_transition = what;
    return std::move(*this);
  }

  // `Result<>(const Context&)`; see Initializer.
  template <std::invocable<const TypedContext&> I>
  [[nodiscard]] MachineBuilder&& initializer(I initialize) && {
    definition_.initializers.push_back([initialize](const RunContext& run, const Payload& payload) -> Result<> {
      auto done = internal::with_typed<Request, Response>(run, payload, initialize);
      return done ? *done : fail(std::move(done.error()));
    });
    return std::move(*this);
  }

  // `Result<>(const Context&, const Finishing&)`; see Finalizer.
  template <std::invocable<const TypedContext&, const Finishing&> F>
  [[nodiscard]] MachineBuilder&& finalizer(F finalize) && {
    definition_.finalizers.push_back(
        [finalize](const RunContext& run, const Payload& payload, const Finishing& end) -> Result<> {
          auto done = internal::with_typed<Request, Response>(
              run, payload, [&](const TypedContext& context) -> Result<> { return finalize(context, end); });
          return done ? *done : fail(std::move(done.error()));
        });
    return std::move(*this);
  }

  // The first added is the outermost.
  [[nodiscard]] MachineBuilder&& interceptor(Interceptor wrap) && {
    definition_.interceptors.push_back(std::move(wrap));
    return std::move(*this);
  }

  // `make`: Request or Result<Request>, of (const Before's Response&, Request given).
  template <class BeforeRequest, class BeforeResponse, std::invocable<const BeforeResponse&, Request> F>
  [[nodiscard]] MachineBuilder&& follows(const Machine<BeforeRequest, BeforeResponse>& before, F make) && {
    definition_.follows[before.name()] = [make](std::string_view handed_on,
                                                std::string_view given) -> Result<std::string> {
      Result<BeforeResponse> response = BeforeResponse{};
      if (!handed_on.empty()) response = Codec<BeforeResponse>::decode(handed_on);
      if (!response) return response.error().during("response of the run before");
      auto own = Codec<Request>::decode(given);
      if (!own) return own.error().during("stored request");
      Result<Request> made = make(*response, std::move(*own));
      if (!made) return fail(std::move(made.error()));
      return Codec<Request>::encode(*made);
    };
    return std::move(*this);
  }

  [[nodiscard]] Result<Machine<Request, Response>> add_to(Manager& manager) &&
    requires internal::At<stage, Stage::kEnded>
  {
    Machine<Request, Response> handle(manager, definition_.name);
    if (auto added = manager.add(std::move(definition_)); !added) return fail(std::move(added.error()));
    return handle;
  }

 private:
  template <class H>
  void add(std::string name, H handler, TransitionPolicy policy) {
    Handler encoded = [handler = std::move(handler)](const RunContext& run, const Payload& payload) -> EncodedOutcome {
      auto outcome = internal::with_typed<Request, Response>(
          run, payload, [&](const TypedContext& context) -> Outcome<Response> { return handler(context); });
      if (!outcome) return Unrecoverable{std::move(outcome.error())};
      return internal::encode<Response>(outcome->value());
    };
    definition_.transitions.push_back({std::move(name), std::move(encoded), policy});
  }

  Definition definition_;
};

template <class Request, class Response>
[[nodiscard]] MachineBuilder<Request, Response> machine(std::string name) {
  Definition definition;
  definition.resource = name;
  definition.name = std::move(name);
  return MachineBuilder<Request, Response>(std::move(definition));
}

}  // namespace slipway::fsm
