// One connection of the server: reads requests, calls the handler, until the other side goes or something is wrong.
#pragma once

#include <stop_token>
#include <string>

#include "net/http_server.h"
#include "net/socket_stream.h"

namespace slipway::net {

class ServerConnection {
 public:
  // The options and the handler must outlive it.
  ServerConnection(sys::Descriptor socket, const HttpServerOptions& options, const Handler& handler,
                   std::stop_token stop);

  void serve();
  // These may come from any thread, one at a time, and none after close(). stop_reading() lets an answer under way end.
  void stop_reading();
  void cut();
  void close();

 private:
  enum class Next : bool { kClose, kGoOn };

  [[nodiscard]] Next serve_one();
  [[nodiscard]] bool read_head(std::string& head, Deadline& deadline);
  [[nodiscard]] bool read_body(ServerRequest& request, Deadline deadline);
  [[nodiscard]] Next answer(const ServerRequest& request);
  void refuse(const Refusal& refusal);

  const HttpServerOptions& options_;
  const Handler& handler_;
  const std::stop_token stop_;
  SocketStream stream_;
};

}  // namespace slipway::net
