#include "life.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "layout.h"

namespace slipway::crash {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr auto kPatience = 60s;

class Process {
 public:
  explicit Process(const LifeOrder& order) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ == 0) become(order, ends[1], parent);
    ::close(ends[1]);
    voice_ = ends[0];
  }
  ~Process() {
    if (!gone_) kill();
    ::close(voice_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  enum class Heard : std::uint8_t { kNothing, kAlive, kReady, kEnd };
  // The pipe is closed by the child's death, whatever its kind: nobody else holds that end.
  Heard hear(Duration patience) const {
    pollfd ear{.fd = voice_, .events = POLLIN, .revents = 0};
    const timespec limit{.tv_sec = patience.count() / 1'000'000, .tv_nsec = patience.count() % 1'000'000 * 1000};
    if (::ppoll(&ear, 1, &limit, nullptr) <= 0) return Heard::kNothing;
    char said = 0;
    const auto length = ::read(voice_, &said, 1);
    if (length < 0) return Heard::kNothing;
    if (length == 0) return Heard::kEnd;
    return said == kReady ? Heard::kReady : Heard::kAlive;
  }

  int kill() {
    ::kill(pid_, SIGKILL);
    return wait();
  }

  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    gone_ = true;
    return status;
  }

 private:
  [[noreturn]] static void become(const LifeOrder& order, int voice, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves nobody behind
    if (::getppid() != parent) ::_exit(126);
    ::fcntl(voice, F_SETFD, 0);
    if (order.fault.empty()) {
      ::unsetenv("SLIPWAY_FAULT");
    } else {
      ::setenv("SLIPWAY_FAULT", order.fault.c_str(), 1);
    }
    const std::string seed = std::to_string(order.seed);
    const std::string fd = std::to_string(voice);
    ::execl(CRASH_CHILD, CRASH_CHILD, order.folder.c_str(), seed.c_str(), order.mode.c_str(), fd.c_str(), nullptr);
    ::_exit(127);
  }

  pid_t pid_ = -1;
  int voice_ = -1;
  bool gone_ = false;
};

std::uintmax_t trace_size(const std::string& folder) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(trace_path(folder), missing);
  return missing ? 0 : size;
}

LifeEnd judge(int status, bool ordered) {
  if (WIFEXITED(status)) return {WEXITSTATUS(status) == 0 ? Death::kExited : Death::kFailed, status};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return {ordered ? Death::kByOrder : Death::kByFault, status};
  return {Death::kFailed, status};
}

}  // namespace

LifeEnd live(const LifeOrder& order) {
  Process child(order);
  auto last_sign = Steady::now();
  std::uintmax_t traced = trace_size(order.folder);
  std::optional<Steady::time_point> due;
  if (order.kill_after && !order.from_ready) due = last_sign + *order.kill_after;
  for (;;) {
    const auto now = Steady::now();
    if (due && now >= *due) return judge(child.kill(), /*ordered=*/true);
    const Duration patience = due ? std::min<Duration>(1s, std::chrono::ceil<Duration>(*due - now)) : Duration(1s);
    const auto heard = child.hear(patience);
    if (heard == Process::Heard::kEnd) return judge(child.wait(), /*ordered=*/false);
    if (heard == Process::Heard::kReady && order.kill_after && order.from_ready)
      due = Steady::now() + *order.kill_after;
    const auto size = trace_size(order.folder);
    if (heard != Process::Heard::kNothing || size != std::exchange(traced, size)) last_sign = Steady::now();
    if (Steady::now() - last_sign > kPatience) return {Death::kStuck, child.kill()};
  }
}

CrashFolder::~CrashFolder() {
  if (!testing::Test::HasFailure()) return;
  dir_.keep();
  fmt::print(stderr, "kept for a look: {}\n", path());
}

}  // namespace slipway::crash
