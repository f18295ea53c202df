// Stream sockets in the file system, for processes of one user on one machine. Paths of any length work, though the
// kernel's own limit is 107 bytes.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "sys/descriptor.h"

namespace slipway::sys {

// Listens at `path`, for this user only (mode 0600). What is there already is removed first: the caller must be sure
// that nobody else listens there.
[[nodiscard]] Result<Descriptor> listen_at(const std::filesystem::path& path);

// kUnavailable when nobody listens there.
[[nodiscard]] Result<Descriptor> connect_to(const std::filesystem::path& path);

// Whether the other side runs as this user, or as root.
[[nodiscard]] bool peer_is_trusted(const Descriptor& connection);

// Lines over a socket. One thread may read while another writes.
class LineSocket {
 public:
  LineSocket(Descriptor connection, std::size_t max_line) : connection_(std::move(connection)), max_line_(max_line) {}

  // The next line, without its end. kUnavailable when the other side is gone, kCorrupt when a line is too long.
  [[nodiscard]] Result<std::string> read_line();
  [[nodiscard]] Result<> write_line(std::string_view line);

  // Until there is something to read, or the other side is gone. False when that took longer.
  [[nodiscard]] bool wait(std::chrono::milliseconds patience) const;

  [[nodiscard]] int descriptor() const { return connection_.get(); }

  // Ends both directions, also for a thread that waits in one. Thread-safe.
  void shut() const;

 private:
  Descriptor connection_;
  std::size_t max_line_;
  std::string buffer_;  // read, and not yet given out
};

}  // namespace slipway::sys
