#include <utility>

#include "net/http_server.h"
#include "net/socket_stream.h"

namespace slipway::net {
namespace {

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 416: return "Range Not Satisfiable";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

Result<> check(int status, const Headers& headers) {
  if (status < 200 || status > 599) return fail(ErrorKind::kInvalid, "status {} is no final one", status);
  for (const auto& [name, value] : headers) {
    if (!is_token(name) || !is_field_value(value)) return fail(ErrorKind::kInvalid, "a header cannot be sent");
    for (const std::string_view own : {"Content-Length", "Transfer-Encoding", "Connection"}) {
      if (equal_ignoring_case(name, own)) return fail(ErrorKind::kInvalid, "header {} is the server's to set", name);
    }
  }
  return {};
}

}  // namespace

ResponseWriter::ResponseWriter(SocketStream& stream, const RequestHead& request)
    : stream_(stream),
      head_only_(request.method == "HEAD"),
      old_(request.http_version == 10),
      keep_(request.keep_alive) {}

Result<> ResponseWriter::begin(int status, const Headers& headers, std::optional<std::uint64_t> length) {
  if (begun_) return fail(ErrorKind::kConflict, "the answer has begun already");
  if (auto sound = check(status, headers); !sound) return sound;
  const bool no_length = status == 204 || status == 304;
  bodiless_ = head_only_ || no_length;
  chunked_ = !length && !old_ && !no_length;
  if (!length && old_ && !bodiless_) keep_ = false;
  left_ = length;
  begun_ = true;

  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_phrase(status));
  for (const auto& [name, value] : headers) fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  if (chunked_) head += "Transfer-Encoding: chunked\r\n";
  if (length && !no_length) fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", *length);
  if (!keep_) head += "Connection: close\r\n";
  head += "\r\n";
  return stream_.write(head);
}

Result<> ResponseWriter::write(std::string_view piece) {
  if (!begun_ || finished_) return fail(ErrorKind::kConflict, "the answer is not open");
  if (bodiless_ || piece.empty()) return {};
  if (left_) {
    if (piece.size() > *left_) return fail(ErrorKind::kInvalid, "the body is longer than its Content-Length");
    *left_ -= piece.size();
  }
  if (!chunked_) return stream_.write(piece);
  if (auto size = stream_.write(fmt::format("{:x}\r\n", piece.size())); !size) return size;
  if (auto data = stream_.write(piece); !data) return data;
  return stream_.write("\r\n");
}

Result<> ResponseWriter::finish() {
  if (!begun_ || finished_) return fail(ErrorKind::kConflict, "the answer is not open");
  finished_ = true;
  if (bodiless_) return {};
  if (left_.value_or(0) > 0) {
    keep_ = false;
    return fail(ErrorKind::kInvalid, "the body is {} bytes shorter than its Content-Length", *left_);
  }
  return chunked_ ? stream_.write("0\r\n\r\n") : Result<>();
}

Result<> ResponseWriter::send(int status, const Headers& headers, std::string_view body) {
  if (auto begun = begin(status, headers, body.size()); !begun) return begun;
  if (!bodiless_) {
    if (auto written = write(body); !written) return written;
  }
  return finish();
}

Result<> ResponseWriter::raw(std::string_view bytes) {
  begun_ = true;
  close_after();
  return stream_.write(bytes);
}

void ResponseWriter::close_after() {
  begun_ = true;
  finished_ = true;
  keep_ = false;
}

void ResponseWriter::reset_after() {
  close_after();
  stream_.reset_on_close();
}

}  // namespace slipway::net
