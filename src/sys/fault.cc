#include "sys/fault.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include <unistd.h>

#include "base/number.h"

namespace slipway::fault {
namespace {

struct Armed {
  Spec spec;
  std::int64_t hits = 0;
  int acted = 0;
};

struct State {
  std::mutex mutex;
  std::map<std::string, Armed, std::less<>> armed;
  std::set<std::string, std::less<>> reached;
  bool recording = false;
};

// Never destroyed: a thread that outlives main() may still check a point.
State& state() {
  static State& the_state = *new State;
  return the_state;
}

// False: nothing is armed or recorded, and check() need not look. Relaxed is enough, because arming happens before
// the work it is meant for; everything else is behind the mutex.
std::atomic<bool> watching = false;

void update_watching(const State& s) { watching.store(s.recording || !s.armed.empty(), std::memory_order_relaxed); }

// Not abort(): the point of a kill is that no handler, destructor or buffer flush runs.
[[noreturn]] void die_now() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

void arm(State& s, std::string point, Spec spec) {
  const auto [at, inserted] = s.armed.try_emplace(std::move(point), Armed{.spec = std::move(spec)});
  if (!inserted) {
    std::fprintf(stderr, "fault point %s is armed twice\n", at->first.c_str());
    std::abort();
  }
  update_watching(s);
}

struct Order {
  std::string point;
  Spec spec;
};

Result<Order> parse_order(std::string_view text) {
  const auto equals = text.find('=');
  const auto at = text.find('@', equals == std::string_view::npos ? 0 : equals);
  if (equals == std::string_view::npos || equals == 0 || at == std::string_view::npos) {
    return fail(ErrorKind::kInvalid, "\"{}\" is not of the form point=kill@N or point=fail@N", text);
  }
  const std::string_view action = text.substr(equals + 1, at - equals - 1);
  const std::string_view count = text.substr(at + 1);
  if (action != "kill" && action != "fail") {
    return fail(ErrorKind::kInvalid, "\"{}\": the action is kill or fail, not \"{}\"", text, action);
  }
  const int nth = parse_number<int>(count).value_or(0);
  if (nth < 1) {
    return fail(ErrorKind::kInvalid, "\"{}\": N is a number from 1, not \"{}\"", text, count);
  }
  return Order{.point = std::string(text.substr(0, equals)),
               .spec = {.skip = nth - 1, .action = action == "kill" ? Action::kKill : Action::kFail}};
}

Result<std::vector<Order>> parse_orders(std::string_view text) {
  std::vector<Order> orders;
  std::set<std::string> seen;
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto order = parse_order(text.substr(0, comma));
    if (!order) return fail(std::move(order.error()));
    if (!seen.insert(order->point).second) {
      return fail(ErrorKind::kInvalid, "point \"{}\" is given twice", order->point);
    }
    orders.push_back(std::move(*order));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return orders;
}

}  // namespace

std::optional<Error> check(std::string_view point) {
  if (!watching.load(std::memory_order_relaxed)) return std::nullopt;
  State& s = state();
  std::unique_lock lock(s.mutex);
  if (s.recording && !s.reached.contains(point)) s.reached.emplace(point);
  const auto found = s.armed.find(point);
  if (found == s.armed.end()) return std::nullopt;
  Armed& armed = found->second;
  if (armed.hits++ < armed.spec.skip) return std::nullopt;
  if (armed.spec.times >= 0 && armed.acted >= armed.spec.times) return std::nullopt;
  ++armed.acted;
  if (armed.spec.action == Action::kKill) die_now();
  if (armed.spec.action == Action::kCall) {
    const auto call = armed.spec.call;
    lock.unlock();  // what is called may pass points itself
    call();
    return std::nullopt;
  }
  return armed.spec.error;
}

Scope::Scope(std::string point, Spec spec) : point_(std::move(point)) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  arm(s, point_, std::move(spec));
}

Scope::~Scope() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.armed.erase(point_);
  update_watching(s);
}

int Scope::acted() const {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  return s.armed.at(point_).acted;
}

Result<> arm_from_environment() {
  const char* text = std::getenv("SLIPWAY_FAULT");
  if (text == nullptr) return {};
  auto orders = parse_orders(text);
  if (!orders) return orders.error().during("read SLIPWAY_FAULT");
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  for (auto& order : *orders) arm(s, std::move(order.point), std::move(order.spec));
  return {};
}

void record(bool on) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  if (on && !s.recording) s.reached.clear();
  s.recording = on;
  update_watching(s);
}

std::vector<std::string> reached() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  return {s.reached.begin(), s.reached.end()};
}

}  // namespace slipway::fault
