#include "net/testing/upstream_answer.h"

#include <algorithm>
#include <utility>

#include "base/number.h"

namespace slipway::net {
namespace {

constexpr std::chrono::seconds kPatience{60};

}  // namespace

Result<UpstreamAnswer> UpstreamAnswer::ask(const std::string& address, std::uint16_t port, const std::string& request,
                                           bool head_only) {
  auto socket = connect_to(address, port);
  if (!socket) return fail(socket.error());
  UpstreamAnswer answer(SocketStream(std::move(*socket), kPatience));
  if (auto sent = answer.stream_.write(request); !sent) return fail(sent.error());
  if (auto read = answer.read_head(head_only); !read) return fail(read.error());
  return answer;
}

Result<> UpstreamAnswer::more() {
  auto got = stream_.fill(std::chrono::steady_clock::now() + kPatience);
  if (!got) return fail(got.error());
  if (!*got) return fail(ErrorKind::kUnavailable, "the server behind the proxy closed early");
  return {};
}

Result<> UpstreamAnswer::read_head(bool head_only) {
  do {
    std::size_t end = 0;
    while ((end = stream_.buffered().find("\r\n\r\n")) == std::string_view::npos) {
      if (auto got = more(); !got) return got;
    }
    auto head = parse_response_head(stream_.buffered().substr(0, end + 4));
    if (!head) return fail(head.error());
    stream_.take(end + 4);
    head_ = std::move(*head);
  } while (head_.status < 200);
  if (const auto stated = head_.headers.get("Content-Length")) length_ = parse_number<std::uint64_t>(*stated);
  if (head_only || head_.status == 204 || head_.status == 304) return {};
  if (head_.headers.get("Transfer-Encoding")) {
    framing_ = Framing::kChunked;
  } else {
    framing_ = length_ ? Framing::kLength : Framing::kUntilClosed;
    left_ = length_.value_or(0);
  }
  return {};
}

Result<std::string> UpstreamAnswer::line() {
  std::size_t end = 0;
  while ((end = stream_.buffered().find("\r\n")) == std::string_view::npos) {
    if (auto got = more(); !got) return fail(got.error());
  }
  std::string out(stream_.buffered().substr(0, end));
  stream_.take(end + 2);
  return out;
}

Result<> UpstreamAnswer::next_chunk() {
  if (!std::exchange(first_chunk_, false)) {
    if (auto end = line(); !end) return fail(end.error());
  }
  auto size = line();
  if (!size) return fail(size.error());
  const auto left = parse_number<std::uint64_t>(std::string_view(*size).substr(0, size->find(';')), 16);
  if (!left) return fail(ErrorKind::kCorrupt, "the server behind the proxy sent a malformed chunk");
  left_ = *left;
  if (left_ == 0) framing_ = Framing::kNone;
  return {};
}

Result<std::string> UpstreamAnswer::next() {
  if (framing_ == Framing::kChunked && left_ == 0) {
    if (auto chunk = next_chunk(); !chunk) return fail(chunk.error());
  }
  if (framing_ == Framing::kNone || (framing_ == Framing::kLength && left_ == 0)) return std::string();
  if (stream_.buffered().empty()) {
    auto got = stream_.fill(std::chrono::steady_clock::now() + kPatience);
    if (!got) return fail(got.error());
    if (!*got && framing_ == Framing::kUntilClosed) return std::string();
    if (!*got) return fail(ErrorKind::kUnavailable, "the server behind the proxy cut its body short");
  }
  const auto most = framing_ == Framing::kUntilClosed ? stream_.buffered().size() : left_;
  std::string piece(stream_.buffered().substr(0, most));
  stream_.take(piece.size());
  left_ -= framing_ == Framing::kUntilClosed ? 0 : piece.size();
  return piece;
}

}  // namespace slipway::net
