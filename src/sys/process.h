// A child process with exactly the descriptors it is given: started, ended and reaped by its owner.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/error.h"
#include "sys/descriptor.h"

namespace slipway::sys {

struct SpawnOptions {
  std::string executable{};
  std::vector<std::string> arguments{};            // without the program's own name
  std::vector<std::string> environment{};          // NAME=value; nothing is inherited
  std::vector<std::pair<int, int>> descriptors{};  // the child's number, ours; every other one is closed there
  std::string folder{};                            // to be started in; empty: ours
};

// How a process ended.
struct ProcessEnd {
  bool signalled = false;
  int code = 0;  // the exit code, or the signal
};

// Not thread-safe, except kill(). The child has a process group of its own, no blocked and no ignored signals.
class Process {
 public:
  [[nodiscard]] static Result<Process> start(const SpawnOptions& options);
  ~Process();  // kills it when it still runs, and reaps it: no zombie stays
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Readable when the process has ended.
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  void kill() const;  // SIGKILL; a process that is gone already is not an error
  // SIGKILL to all of its group: itself, and whatever it started that took no group of its own. Reaches them after its
  // end too, as long as it is not reaped: its number is nobody else's until then.
  void kill_group() const;
  // Waits for its end and reaps it; the same answer again when called again.
  ProcessEnd wait();

 private:
  Process(pid_t pid, Descriptor pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  pid_t pid_;  // -1: moved from
  Descriptor pidfd_;
  bool reaped_ = false;
  ProcessEnd end_;
};

}  // namespace slipway::sys
