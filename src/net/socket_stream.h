// A connected TCP socket with blocking reads and writes that give up after a time, for the server and its tests.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "sys/descriptor.h"

namespace slipway::net {

using Deadline = std::chrono::steady_clock::time_point;

// A socket that listens at a numeric address (IPv4 or IPv6); port 0 takes a free one.
[[nodiscard]] Result<sys::Descriptor> listen_at(const std::string& address, std::uint16_t port, int backlog);
[[nodiscard]] Result<sys::Descriptor> connect_to(const std::string& address, std::uint16_t port);
[[nodiscard]] Result<std::uint16_t> local_port(const sys::Descriptor& socket);

// One thread at a time reads and writes; shut_down() may come from any.
class SocketStream {
 public:
  SocketStream(sys::Descriptor socket, std::chrono::milliseconds write_timeout);

  // Waits for bytes and takes what is there. False: the other side has closed. kTimeout at the deadline.
  [[nodiscard]] Result<bool> fill(Deadline deadline);
  // What was read and not yet taken.
  [[nodiscard]] std::string_view buffered() const { return std::string_view(buffer_).substr(taken_); }
  void take(std::size_t bytes);

  // kTimeout when the other side takes nothing for the write timeout.
  [[nodiscard]] Result<> write(std::string_view bytes);

  void shut_down(int how);                       // SHUT_RD, SHUT_WR or SHUT_RDWR: wakes who waits
  void close() { socket_ = sys::Descriptor(); }  // not while another thread may call shut_down()
  void reset_on_close();                         // the other side sees "connection reset" instead of an orderly end

 private:
  sys::Descriptor socket_;
  std::string buffer_;
  std::size_t taken_ = 0;
};

}  // namespace slipway::net
