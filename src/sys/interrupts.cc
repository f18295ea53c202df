#include "sys/interrupts.h"

#include <cerrno>
#include <cstdint>
#include <stdexcept>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

namespace slipway::sys {
namespace {

constexpr int kExitInterrupted = 130;

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, &old_mask_);
  signals_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC));
  over_ = Descriptor(::eventfd(0, EFD_CLOEXEC));
  if (!signals_ || !over_) throw std::runtime_error("no descriptors left to listen for signals with");
  listening_ = std::jthread([this] { listen(); });
}

Interrupts::~Interrupts() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto woken = ::write(over_.get(), &one, sizeof(one));
  listening_.join();
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void Interrupts::listen() {
  for (;;) {
    pollfd waits[] = {{signals_.get(), POLLIN, 0}, {over_.get(), POLLIN, 0}};
    if (::poll(static_cast<pollfd*>(waits), 2, -1) < 0 && errno != EINTR) return;
    if ((waits[1].revents & POLLIN) != 0) return;
    if ((waits[0].revents & POLLIN) == 0) continue;
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof(info)) != sizeof(info)) continue;
    const bool again = !stop_.request_stop();
    if (again && info.ssi_signo == SIGINT) ::_exit(kExitInterrupted);
  }
}

}  // namespace slipway::sys
