// A forked copy of a test that runs one function and dies: for what only another process can show, such as locks,
// SIGKILL and namespaces. Fork from a test that has no other threads.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace slipway::sys {

class ChildProcess {
 public:
  // Runs in the child, which sends lines to the parent with say(); what it returns is the child's exit status.
  class Voice {
   public:
    explicit Voice(int fd) : fd_(fd) {}
    void say(std::string_view line) const;

   private:
    int fd_;
  };
  using Body = std::function<int(const Voice&)>;

  explicit ChildProcess(const Body& body);
  ~ChildProcess();  // kills it if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // The next line the child says; empty when it has no more to say, which is when every process that holds its end of
  // the pipe is gone.
  [[nodiscard]] std::string hear();
  void kill();  // SIGKILL, and waits for it to be gone
  // The exit status; 128 + n when it died by signal n.
  int wait();

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  int status_ = 0;
};

}  // namespace slipway::sys
