#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "child.h"
#include "fsm/machine.h"
#include "fsm/manager.h"
#include "fsm/sqlite_run_store.h"
#include "layout.h"
#include "many.h"
#include "sys/clock.h"

namespace slipway::crash {
namespace {

using namespace std::chrono_literals;
using Text = fsm::Context<std::string, std::string>;

constexpr std::size_t kBatch = 4000;

// The wall clock, set back: whoever orders by time puts what happens now before what happened in the first life.
class ClockBehind final : public sys::Clock {
 public:
  explicit ClockBehind(Duration by) : by_(by) {}
  [[nodiscard]] TimePoint now() const override { return sys::system_clock().now() - by_; }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, TimePoint due) override {
    sys::system_clock().wait_until(lock, changed, due + by_);
  }

 private:
  Duration by_;
};

Result<> start_many(const ChildOrder& order, fsm::Manager& manager) {
  for (std::size_t first = 0; first < kManyRuns; first += kBatch) {
    std::vector<fsm::StartRequest> batch;
    for (std::size_t i = first; i < std::min(first + kBatch, kManyRuns); ++i) batch.push_back({.id = many_id(i)});
    for (const auto& started : manager.start_all(kManyMachine, std::move(batch))) {
      if (!started) return fail(started.error());
    }
    tell(order, kAlive);
  }
  return {};
}

Result<> await_end(const ChildOrder& order, const fsm::Manager& manager) {
  for (;;) {
    auto active = manager.runs({.phase = fsm::RunFilter::Phase::kActive, .limit = 1});
    if (!active) return fail(std::move(active.error()));
    if (active->empty()) return {};
    tell(order, kAlive);
    std::this_thread::sleep_for(100ms);
  }
}

}  // namespace

Result<> run_many(const ChildOrder& order, bool first_life) {
  ClockBehind clock(first_life ? Duration{0} : Duration(1h));
  auto store = fsm::SqliteRunStore::open(store_path(order.folder), {.slots = 8, .clock = &clock});
  if (!store) return fail(std::move(store.error()));
  auto manager = fsm::Manager::open(std::move(*store), {.max_threads = 8, .clock = &clock});
  if (!manager) return fail(std::move(manager.error()));

  // In the first life no handler goes on before all runs are there: so all of them are active at once.
  std::atomic<bool> all_there = !first_life;
  std::atomic<std::size_t> tries = 0;
  const auto handler = [&](const Text& run) -> fsm::Outcome<std::string> {
    all_there.wait(false);
    // Ready runs take turns: here all have the first transition on disk, and half of them have begun the third, and so
    // have the second one on disk.
    if (++tries == 2 * kManyRuns + kManyRuns / 2 && first_life) {
      tell(order, kReady);
      std::this_thread::sleep_for(1h);  // ended by the parent
    }
    return fsm::next(many_response(run.response(), run.id(), run.transition()));
  };
  auto machine = fsm::machine<std::string, std::string>(kManyMachine)
                     .start(std::string(kManyTransitions[0]), handler)
                     .to(std::string(kManyTransitions[1]), handler)
                     .to(std::string(kManyTransitions[2]), handler)
                     .end("end")
                     .add_to(**manager);
  if (!machine) return fail(std::move(machine.error()));
  if (auto resumed = (*manager)->resume(); !resumed) return fail(std::move(resumed.error()));
  if (first_life) {
    if (auto started = start_many(order, **manager); !started) return started;
    all_there = true;
    all_there.notify_all();
  }
  if (auto ended = await_end(order, **manager); !ended) return ended;
  (*manager)->shutdown(10s);
  return {};
}

}  // namespace slipway::crash
