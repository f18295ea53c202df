// Inside src/archive only: how long the Inspector waits for its child, and what a child's death says of the image.
#pragma once

#include <chrono>

#include <sys/types.h>
#include <time.h>

#include "archive/inspector.h"
#include "base/error.h"

namespace slipway::archive {

// Of one child, as the options have it. Nothing that the child says but getting on prolongs its life, and even that not
// for ever. One thread.
class Patience {
 public:
  using Duration = std::chrono::nanoseconds;

  Patience(pid_t child, const InspectOptions& options);  // `options` must outlive it

  // It got on.
  void renew() { since_ = now(); }
  // kTimeout: it costs too much. kUnavailable: it does not run.
  [[nodiscard]] Result<> check() const;
  // Milliseconds, for poll().
  [[nodiscard]] int look_again_in() const;
  // Processor time of the child so far, also of one that is dead and not yet reaped.
  [[nodiscard]] Duration cpu_used() const;

 private:
  struct Moment {
    Duration cpu{};
    std::chrono::steady_clock::time_point time{};
  };
  [[nodiscard]] Moment now() const;

  clockid_t clock_{};
  bool known_ = false;  // the clock
  const InspectOptions& options_;
  Moment begun_;
  Moment since_;
};

// What it means that the child died by `signal` without an answer, after so much processor time: a crash is the image's
// fault (kCorrupt), so is reaching the limit (kTimeout); any other signal was sent by somebody else (kUnavailable).
[[nodiscard]] Error death(int signal, Patience::Duration cpu_used, const InspectOptions& options);

}  // namespace slipway::archive
