// Words to the service manager that started this process, where one did (systemd's NOTIFY_SOCKET protocol).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"

namespace slipway::sys {

class ServiceNotifier {
 public:
  // From what the manager has put into the environment; both may be empty. `watchdog_usec` is for the process with
  // this id only, when `watchdog_pid` is given.
  ServiceNotifier(std::string socket, const std::string& watchdog_usec, const std::string& watchdog_pid);

  [[nodiscard]] bool listening() const { return !socket_.empty(); }
  // How often still_alive() is to be said, at the latest; none: nobody waits for it.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

  // All are no effect when nobody listens. An error is of no consequence but for the log.
  [[nodiscard]] Result<> ready() const { return say("READY=1"); }
  [[nodiscard]] Result<> stopping() const { return say("STOPPING=1"); }
  [[nodiscard]] Result<> still_alive() const { return say("WATCHDOG=1"); }
  [[nodiscard]] Result<> status(const std::string& text) const { return say("STATUS=" + text); }

 private:
  [[nodiscard]] Result<> say(const std::string& words) const;

  std::string socket_;
  std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace slipway::sys
