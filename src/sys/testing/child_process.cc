#include "sys/testing/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::sys {

void ChildProcess::Voice::say(std::string_view line) const {
  const std::string text = std::string(line) + '\n';
  [[maybe_unused]] const ssize_t written = ::write(fd_, text.data(), text.size());
}

ChildProcess::ChildProcess(const Body& body) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    ::close(ends[0]);
    int status = 125;
    try {
      status = body(Voice(ends[1]));
    } catch (const std::exception& e) {
      Voice(ends[1]).say(e.what());
    }
    ::_exit(status);  // not exit(): the parent's buffers and atexit handlers are not ours
  }
  ::close(ends[1]);
  fd_ = ends[0];
}

ChildProcess::~ChildProcess() {
  kill();
  ::close(fd_);
}

std::string ChildProcess::hear() {
  std::string line;
  char c = 0;
  for (;;) {
    const ssize_t length = ::read(fd_, &c, 1);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0 || c == '\n') return line;
    line += c;
  }
}

void ChildProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  wait();
}

int ChildProcess::wait() {
  if (pid_ <= 0) return status_;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return status_;
}

}  // namespace slipway::sys
