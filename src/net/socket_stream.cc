#include "net/socket_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "sys/system_error.h"

namespace slipway::net {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

Result<Address> parse(const std::string& address, std::uint16_t port) {
  Address out{};
  if (inet_pton(AF_INET, address.c_str(), &out.v4.sin_addr) == 1) {
    out.v4.sin_family = AF_INET;
    out.v4.sin_port = htons(port);
    return out;
  }
  out = {};
  if (inet_pton(AF_INET6, address.c_str(), &out.v6.sin6_addr) == 1) {
    out.v6.sin6_family = AF_INET6;
    out.v6.sin6_port = htons(port);
    return out;
  }
  return fail(ErrorKind::kInvalid, "address {}: it must be a numeric IPv4 or IPv6 address", address);
}

socklen_t length_of(const Address& address) {
  return address.any.sa_family == AF_INET ? sizeof(address.v4) : sizeof(address.v6);
}

Error socket_error(std::string_view doing, int error) { return sys::system_error(doing, "of a connection", error); }

}  // namespace

Result<sys::Descriptor> listen_at(const std::string& address, std::uint16_t port, int backlog) {
  const auto place = fmt::format("{} port {}", address, port);
  const auto parsed = parse(address, port);
  if (!parsed) return parsed.error().during("listen at {}", place);
  sys::Descriptor socket(::socket(parsed->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return fail(sys::system_error("listen at", place, errno));
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(socket.get(), &parsed->any, length_of(*parsed)) != 0 || listen(socket.get(), backlog) != 0) {
    return fail(sys::system_error("listen at", place, errno));
  }
  return socket;
}

Result<sys::Descriptor> connect_to(const std::string& address, std::uint16_t port) {
  const auto place = fmt::format("{} port {}", address, port);
  const auto parsed = parse(address, port);
  if (!parsed) return parsed.error().during("connect to {}", place);
  sys::Descriptor socket(::socket(parsed->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || connect(socket.get(), &parsed->any, length_of(*parsed)) != 0) {
    return fail(sys::system_error("connect to", place, errno));
  }
  return socket;
}

Result<std::uint16_t> local_port(const sys::Descriptor& socket) {
  Address own{};
  socklen_t length = sizeof(own);
  if (getsockname(socket.get(), &own.any, &length) != 0) return fail(socket_error("ask the port", errno));
  return ntohs(own.any.sa_family == AF_INET ? own.v4.sin_port : own.v6.sin6_port);
}

SocketStream::SocketStream(sys::Descriptor socket, std::chrono::milliseconds write_timeout)
    : socket_(std::move(socket)) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(write_timeout);
  timeval wait{};
  wait.tv_sec = seconds.count();
  wait.tv_usec = std::chrono::microseconds(write_timeout - seconds).count();
  setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Result<bool> SocketStream::fill(Deadline deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd wait{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    const auto limit = std::clamp<std::int64_t>(left.count(), 0, 3'600'000);
    const int ready = poll(&wait, 1, static_cast<int>(limit));
    if (ready < 0 && errno != EINTR) return fail(socket_error("wait for bytes", errno));
    if (ready == 0 && std::chrono::steady_clock::now() >= deadline) {
      return fail(ErrorKind::kTimeout, "no more bytes came in time");
    }
    if (ready > 0) break;
  }
  std::array<char, kReadBytes> piece;  // NOLINT: filled by recv
  ssize_t got = 0;
  do {
    got = recv(socket_.get(), piece.data(), piece.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail(ErrorKind::kUnavailable, "read of a connection: {}", std::strerror(errno));
  buffer_.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

void SocketStream::take(std::size_t bytes) {
  taken_ += bytes;
  if (taken_ == buffer_.size()) {
    buffer_.clear();
    taken_ = 0;
  } else if (taken_ >= kReadBytes) {
    buffer_.erase(0, taken_);
    taken_ = 0;
  }
}

Result<> SocketStream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return fail(ErrorKind::kTimeout, "the other side takes no bytes");
    }
    if (sent < 0) return fail(ErrorKind::kUnavailable, "write of a connection: {}", std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

void SocketStream::shut_down(int how) { ::shutdown(socket_.get(), how); }

void SocketStream::reset_on_close() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

}  // namespace slipway::net
