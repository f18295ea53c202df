#include "sys/notify.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/number.h"
#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::sys {

ServiceNotifier::ServiceNotifier(std::string socket, const std::string& watchdog_usec, const std::string& watchdog_pid)
    : socket_(std::move(socket)) {
  const auto limit = parse_number<std::uint64_t>(watchdog_usec);
  const auto pid = parse_number<std::uint64_t>(watchdog_pid);
  const bool meant = watchdog_pid.empty() || (pid && *pid == static_cast<std::uint64_t>(::getpid()));
  if (listening() && limit && *limit > 0 && meant) watchdog_ = std::chrono::microseconds(*limit / 2);
}

Result<> ServiceNotifier::say(const std::string& words) const {
  if (!listening()) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof address.sun_path) {
    return fail(ErrorKind::kInvalid, "the service manager's socket {} has too long a name", socket_);
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // of the abstract namespace
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const Descriptor fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return fail(system_error("make", "a socket", errno));
  if (::sendto(fd.get(), words.data(), words.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
               length) < 0) {
    return fail(system_error("tell", socket_, errno));
  }
  return {};
}

}  // namespace slipway::sys
