#include "sys/unix_socket.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "sys/system_error.h"

namespace slipway::sys {
namespace {

// The address of a path, as short as the kernel wants it: through the open folder.
struct Address {
  Descriptor folder;
  sockaddr_un name{};
};

Result<Address> address_of(const std::filesystem::path& path) {
  Address address;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  address.folder = Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!address.folder) return fail(system_error("open", folder.string(), errno));
  const std::string text = fmt::format("/proc/self/fd/{}/{}", address.folder.get(), path.filename().string());
  if (text.size() >= sizeof(address.name.sun_path)) {
    return fail(ErrorKind::kInvalid, "the name of the socket {} is too long", path.string());
  }
  address.name.sun_family = AF_UNIX;
  std::memcpy(static_cast<char*>(address.name.sun_path), text.c_str(), text.size() + 1);
  return address;
}

const sockaddr* generic(const Address& address) { return reinterpret_cast<const sockaddr*>(&address.name); }

}  // namespace

Result<Descriptor> listen_at(const std::filesystem::path& path) {
  auto address = address_of(path);
  if (!address) return fail(std::move(address.error()));
  Descriptor listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listening) return fail(system_error("make a socket for", path.string(), errno));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(system_error("remove", path.string(), errno));
  // The mode of a socket file is that of the descriptor, less the umask: nobody can connect in between.
  ::fchmod(listening.get(), S_IRUSR | S_IWUSR);
  if (::bind(listening.get(), generic(*address), sizeof(address->name)) != 0) {
    return fail(system_error("listen at", path.string(), errno));
  }
  if (::listen(listening.get(), SOMAXCONN) != 0) return fail(system_error("listen at", path.string(), errno));
  return listening;
}

Result<Descriptor> connect_to(const std::filesystem::path& path) {
  auto address = address_of(path);
  if (!address) return fail(std::move(address.error()));
  Descriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!connection) return fail(system_error("make a socket for", path.string(), errno));
  if (::connect(connection.get(), generic(*address), sizeof(address->name)) != 0) {
    if (errno == ECONNREFUSED || errno == ENOENT || errno == EAGAIN) {
      return fail(ErrorKind::kUnavailable, "nobody listens at {}", path.string());
    }
    return fail(system_error("connect to", path.string(), errno));
  }
  return connection;
}

bool peer_is_trusted(const Descriptor& connection) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

Result<std::string> LineSocket::read_line() {
  std::size_t searched = 0;
  for (;;) {
    if (const auto end = buffer_.find('\n', searched); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    searched = buffer_.size();
    if (searched > max_line_) return fail(ErrorKind::kCorrupt, "a message is longer than {} bytes", max_line_);
    std::array<char, 16384> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by recv
    const ssize_t got = ::recv(connection_.get(), piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(ErrorKind::kUnavailable, "the other side is gone");
    buffer_.append(piece.data(), static_cast<std::size_t>(got));
  }
}

Result<> LineSocket::write_line(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t put = ::send(connection_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return fail(ErrorKind::kUnavailable, "the other side is gone");
    sent += static_cast<std::size_t>(put);
  }
  return {};
}

bool LineSocket::wait(std::chrono::milliseconds patience) const {
  if (buffer_.find('\n') != std::string::npos) return true;
  pollfd readable{.fd = connection_.get(), .events = POLLIN, .revents = 0};
  for (;;) {
    const int ready = ::poll(&readable, 1, static_cast<int>(patience.count()));
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

void LineSocket::shut() const { ::shutdown(connection_.get(), SHUT_RDWR); }

}  // namespace slipway::sys
