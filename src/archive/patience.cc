#include "archive/patience.h"

#include <algorithm>
#include <csignal>

namespace slipway::archive {
namespace {

using std::chrono::milliseconds;

constexpr int kMostIdle = 12;  // times the timeout, over its whole life

}  // namespace

Patience::Patience(pid_t child, const InspectOptions& options)
    : known_(::clock_getcpuclockid(child, &clock_) == 0), options_(options), begun_(now()), since_(begun_) {}

Patience::Duration Patience::cpu_used() const {
  timespec used{};
  if (!known_ || ::clock_gettime(clock_, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

Patience::Moment Patience::now() const { return {cpu_used(), std::chrono::steady_clock::now()}; }

Result<> Patience::check() const {
  const Moment present = now();
  const Duration stalled = present.cpu - since_.cpu;
  if (stalled > options_.stall_cpu) {
    return fail(ErrorKind::kTimeout, "the archive reader used {} ms of processor time without getting on",
                std::chrono::duration_cast<milliseconds>(stalled).count());
  }
  const Duration idle = (present.time - since_.time) - stalled;
  const Duration idle_in_all = (present.time - begun_.time) - (present.cpu - begun_.cpu);
  if (idle > options_.idle_timeout || idle_in_all > kMostIdle * options_.idle_timeout) {
    return fail(ErrorKind::kUnavailable, "the archive reader did not run for {} ms",
                std::chrono::duration_cast<milliseconds>(std::max(idle, idle_in_all)).count());
  }
  return {};
}

int Patience::look_again_in() const {
  const milliseconds least = std::min(options_.stall_cpu, options_.idle_timeout) / 4;
  return static_cast<int>(std::clamp<std::int64_t>(least.count(), 10, 1'000));
}

Error death(int signal, Patience::Duration cpu_used, const InspectOptions& options) {
  switch (signal) {
    case SIGKILL:
      if (cpu_used < options.cpu_limit) break;
      [[fallthrough]];  // the kernel's second warning
    case SIGXCPU:
      return {ErrorKind::kTimeout,
              fmt::format("the archive reader used more than {} s of processor time", options.cpu_limit.count())};
    case SIGSYS:  // it tried what the sandbox forbids
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGABRT: return {ErrorKind::kCorrupt, fmt::format("the archive reader died by signal {} over it", signal)};
    default: break;
  }
  return {ErrorKind::kUnavailable, fmt::format("the archive reader was ended by signal {}, from outside", signal)};
}

}  // namespace slipway::archive
