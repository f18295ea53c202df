// The head of an HTTP/1.x message, from bytes that nobody vouches for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "base/error.h"
#include "net/headers.h"

namespace slipway::net {

struct RequestHead {
  std::string method{};
  std::string target{};  // as sent
  std::string path{};    // of the target, still percent-encoded; "*" of OPTIONS
  std::string query{};   // after the question mark
  int http_version = 11;
  Headers headers{};
  std::uint64_t content_length = 0;
  bool keep_alive = true;  // wished by the other side
};

// Why a request is refused: the status to answer with, and a sentence for the answer's body.
struct Refusal {
  int status = 400;
  std::string reason{};
};

inline constexpr std::size_t kMaxFields = 200;

// `text` ends with the blank line. Strict: CRLF line ends, no folded lines, one Host, one Content-Length, no body in
// another framing.
[[nodiscard]] std::expected<RequestHead, Refusal> parse_request_head(std::string_view text);

struct ResponseHead {
  int status = 0;
  Headers headers{};
};
[[nodiscard]] Result<ResponseHead> parse_response_head(std::string_view text);

}  // namespace slipway::net
