// Ctrl-C and SIGTERM as a wish to end, for a program's main().
//
//   sys::Interrupts interrupts;             // first thing, before there are threads
//   auto result = work(interrupts.token());
//   if (interrupts.happened()) return 130;
//
// The first signal fires the token: what is under way ends in an orderly way. The second ends the process at once, with
// exit code 130: all that is durable must be safe at any instant anyhow.
#pragma once

#include <stop_token>
#include <thread>

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t is POSIX's

#include "sys/descriptor.h"

namespace slipway::sys {

// One at a time. The thread that makes it, and all threads made after it, no longer get the signals themselves; it
// gives the calling thread's old signal mask back when it goes.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
  [[nodiscard]] bool happened() const { return stop_.stop_requested(); }

 private:
  void listen();

  sigset_t old_mask_{};
  std::stop_source stop_;
  Descriptor signals_;
  Descriptor over_;
  std::jthread listening_;
};

}  // namespace slipway::sys
