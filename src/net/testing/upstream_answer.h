// The other side of the scripted proxy: one request to the server behind it, and its answer as it comes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "net/http_parse.h"
#include "net/socket_stream.h"

namespace slipway::net {

class UpstreamAnswer {
 public:
  // Sends the request's bytes and reads the head of the answer.
  [[nodiscard]] static Result<UpstreamAnswer> ask(const std::string& address, std::uint16_t port,
                                                  const std::string& request, bool head_only);

  [[nodiscard]] const ResponseHead& head() const { return head_; }
  // As the head states it, of a HEAD request's answer too.
  [[nodiscard]] std::optional<std::uint64_t> length() const { return length_; }
  // The next piece of the body, without chunk framing; empty at its end.
  [[nodiscard]] Result<std::string> next();

 private:
  enum class Framing : std::uint8_t { kNone, kLength, kChunked, kUntilClosed };

  explicit UpstreamAnswer(SocketStream stream) : stream_(std::move(stream)) {}
  [[nodiscard]] Result<> read_head(bool head_only);
  [[nodiscard]] Result<std::string> line();
  [[nodiscard]] Result<> more();
  [[nodiscard]] Result<> next_chunk();

  SocketStream stream_;
  ResponseHead head_;
  std::optional<std::uint64_t> length_;
  Framing framing_ = Framing::kNone;
  std::uint64_t left_ = 0;  // of the body, or of the chunk
  bool first_chunk_ = true;
};

}  // namespace slipway::net
