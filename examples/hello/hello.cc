// The smallest complete program: one machine of two transitions, run once.
#include <chrono>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "fsm/machine.h"
#include "fsm/manager.h"
#include "fsm/sqlite_run_store.h"

namespace {

using namespace slipway;
using namespace std::chrono_literals;

struct HelloRequest {
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HelloRequest, name)

struct HelloResponse {
  std::string greeting;
  std::size_t letters = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HelloResponse, greeting, letters)

using Hello = fsm::Context<HelloRequest, HelloResponse>;

fsm::Outcome<HelloResponse> greet(const Hello& run) {
  if (run.request().name.empty()) return fsm::abort(Error(ErrorKind::kInvalid, "nobody to greet"));
  return fsm::next(HelloResponse{.greeting = fmt::format("Hello, {}!", run.request().name)});
}

fsm::Outcome<HelloResponse> process(const Hello& run) {
  auto response = run.response();  // what `greet` made, read back from what is on disk
  response.letters = response.greeting.size();
  return fsm::next(response);
}

Result<> say_hello(const std::string& path, const std::string& name) {
  auto store = fsm::SqliteRunStore::open(path);
  if (!store) return fail(std::move(store.error()));
  auto manager = fsm::Manager::open(std::move(*store), {.queues = {{"greetings", 2}}});
  if (!manager) return fail(std::move(manager.error()));
  auto hello = fsm::machine<HelloRequest, HelloResponse>("hello")
                   .start("greet", greet)
                   .to("process", process, {.retry = fsm::fixed(2, 100ms), .timeout = 30s})
                   .end("complete")
                   .add_to(**manager);
  if (!hello) return fail(std::move(hello.error()));
  if (auto resumed = (*manager)->resume(); !resumed) return fail(std::move(resumed.error()));

  auto run = hello->start("test-run-1", {.name = name}, {.queue = "greetings"});
  if (!run) return fail(std::move(run.error()));
  auto answer = hello->wait(*run);
  if (!answer) return fail(std::move(answer.error()));
  fmt::print("{} ({} letters)\n\n", answer->greeting, answer->letters);

  auto history = (*manager)->history(*run);
  if (!history) return fail(std::move(history.error()));
  fmt::print("run {} of machine hello:\n", run->version);
  for (const auto& [version, machine, id, seq, event] : *history) {
    fmt::print("  {} {} {:<9} {:<8} {}\n", seq, to_iso8601(event.at), to_string(event.kind), event.transition,
               event.took > 0us ? to_human(event.took) : "");
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "hello.db";
  const std::string name = argc > 2 ? argv[2] : "World";
  const auto said = say_hello(path, name);
  if (!said) {
    fmt::print(stderr, "hello: {}\n", said.error().describe());
    return 1;
  }
  return 0;
}
