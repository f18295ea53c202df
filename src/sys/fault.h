// Named fault points: places where the outside world can fail, that a test can make fail on purpose.
//
//   if (auto fault = fault::check("store.sync")) return fault->during("sync {}", path);
//
// In production nothing is armed and a check costs one relaxed load. A test arms a point for a scope:
//
//   fault::Scope full("store.write", {.times = 1, .error = {ErrorKind::kNoSpace, "disk full"}});
//
// and a child process of a crash test is armed from outside, by the environment (arm_from_environment):
//
//   SLIPWAY_FAULT="store.commit.before=kill@7"    dies by SIGKILL when that point is reached for the 7th time
//
// Every point is listed in docs/developing.md, "Fault points".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace slipway::fault {

enum class Action : std::uint8_t {
  kFail,
  kKill,  // SIGKILL to this very process
  kCall,  // calls `call`, on the thread that is there, and lets it pass
};

struct Spec {
  int skip = 0;   // let the first n pass
  int times = 1;  // then act so often; -1: always
  Action action = Action::kFail;
  Error error = Error(ErrorKind::kIo, "injected fault");
  std::function<void()> call{};
};

// The error to fail with, when this point is armed and its turn has come.
[[nodiscard]] std::optional<Error> check(std::string_view point);

// Arms a point for its lifetime. One Scope at a time may hold a point.
class Scope {
 public:
  Scope(std::string point, Spec spec);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  [[nodiscard]] int acted() const;  // how often it has acted so far

 private:
  std::string point_;
};

// Reads SLIPWAY_FAULT: comma-separated `point=kill@N` or `point=fail@N` (act on the Nth hit, once). A bad value is an
// error. For test programs; the product's main() does not call it.
[[nodiscard]] Result<> arm_from_environment();

// The points reached so far in this process while recording (record(true)), each once, sorted: lets a test prove that
// it knows them all.
void record(bool on);
[[nodiscard]] std::vector<std::string> reached();

}  // namespace slipway::fault
