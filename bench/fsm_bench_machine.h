// The machine that all of fsm_bench runs: five transitions that do nothing but hand a small response on.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "fsm/machine.h"
#include "fsm/manager.h"
#include "fsm/sqlite_run_store.h"

namespace slipway::bench {

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

struct Request {
  std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Request, name)

struct Response {
  int steps = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Response, steps)

using Steps = fsm::Machine<Request, Response>;
using StepsContext = fsm::Context<Request, Response>;

struct Bench {
  std::unique_ptr<fsm::Manager> manager;
  std::unique_ptr<Steps> steps;
};

inline Bench open_bench(const std::string& path, const std::function<void(const StepsContext&)>& on_entry = {},
                        fsm::ManagerOptions options = {}) {
  Bench bench;
  bench.manager = must(fsm::Manager::open(must(fsm::SqliteRunStore::open(path)), std::move(options)));
  const auto step = [on_entry](const StepsContext& run) -> fsm::Outcome<Response> {
    if (on_entry) on_entry(run);
    return fsm::next(Response{run.response().steps + 1});
  };
  bench.steps = std::make_unique<Steps>(must(fsm::machine<Request, Response>("steps")
                                                 .start("one", step)
                                                 .to("two", step)
                                                 .to("three", step)
                                                 .to("four", step)
                                                 .to("five", step)
                                                 .end("done")
                                                 .add_to(*bench.manager)));
  must(bench.manager->resume());
  return bench;
}

inline double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace slipway::bench
