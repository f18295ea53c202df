#include "net/http_parse.h"

#include <algorithm>
#include <optional>

#include "base/number.h"

namespace slipway::net {
namespace {

using Refused = std::unexpected<Refusal>;

Refused refuse(int status, std::string reason) { return Refused(Refusal{status, std::move(reason)}); }

// The next line without its CRLF. None: there is none, or it has a bare CR or LF.
std::optional<std::string_view> next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  if (end == std::string_view::npos || end == 0 || rest[end - 1] != '\r') return std::nullopt;
  const auto line = rest.substr(0, end - 1);
  rest.remove_prefix(end + 1);
  if (line.contains('\r')) return std::nullopt;
  return line;
}

// The fields up to the blank line, which must be the last.
std::expected<Headers, Refusal> parse_fields(std::string_view rest) {
  Headers headers;
  while (true) {
    const auto line = next_line(rest);
    if (!line) return refuse(400, "lines must end with CR LF, and the head with a blank one");
    if (line->empty()) break;
    if (headers.size() == kMaxFields) return refuse(431, "too many header lines");
    auto field = parse_field(*line);
    if (!field) return refuse(400, "a header line is malformed");
    headers.add(std::move(field->first), std::move(field->second));
  }
  if (!rest.empty()) return refuse(400, "there is something after the head");
  return headers;
}

bool set_target(RequestHead& head, std::string_view target) {
  const auto printable = [](char c) { return c > ' ' && c != '\x7F'; };
  if (target.empty() ||
      !std::ranges::all_of(target, [&](char c) { return static_cast<signed char>(c) > 0 && printable(c); })) {
    return false;
  }
  head.target = target;
  std::string_view local = target;
  if (to_lower(target.substr(0, 7)) == "http://") {  // as sent to a proxy
    const auto slash = target.find('/', 7);
    local = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  const auto mark = local.find('?');
  head.path = local.substr(0, mark);
  if (mark != std::string_view::npos) head.query = local.substr(mark + 1);
  return head.path.starts_with('/') || (head.path == "*" && head.method == "OPTIONS");
}

std::optional<Refusal> parse_request_line(RequestHead& head, std::string_view line) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return Refusal{400, "the request line has not three parts"};
  head.method = line.substr(0, first);
  if (!is_token(head.method)) return Refusal{400, "the method is no word"};
  const auto version = line.substr(last + 1);
  if (!version.starts_with("HTTP/")) return Refusal{400, "the request line names no HTTP version"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return Refusal{505, "only HTTP/1.1 and 1.0 are spoken here"};
  head.http_version = version == "HTTP/1.1" ? 11 : 10;
  if (!set_target(head, line.substr(first + 1, last - first - 1))) return Refusal{400, "the target is malformed"};
  return std::nullopt;
}

std::optional<Refusal> parse_framing(RequestHead& head) {
  const auto& headers = head.headers;
  if (headers.count("Host") > 1 || (head.http_version == 11 && headers.count("Host") == 0)) {
    return Refusal{400, "a request has one Host header"};
  }
  if (headers.count("Transfer-Encoding") > 0) {
    if (headers.count("Content-Length") > 0) return Refusal{400, "both Content-Length and Transfer-Encoding"};
    return Refusal{501, "a body must come with its Content-Length"};
  }
  if (headers.count("Content-Length") > 1) return Refusal{400, "more than one Content-Length"};
  if (const auto length = headers.get("Content-Length")) {
    const auto bytes = parse_number<std::uint64_t>(*length);
    if (!bytes) return Refusal{400, "Content-Length is no number"};
    head.content_length = *bytes;
  }
  const auto connection = to_lower(headers.get("Connection").value_or(""));
  head.keep_alive = head.http_version == 11 && !connection.contains("close");
  return std::nullopt;
}

}  // namespace

std::expected<RequestHead, Refusal> parse_request_head(std::string_view text) {
  const auto line = next_line(text);
  if (!line) return refuse(400, "lines must end with CR LF");
  RequestHead head;
  if (auto refusal = parse_request_line(head, *line)) return Refused(std::move(*refusal));
  auto headers = parse_fields(text);
  if (!headers) return Refused(std::move(headers.error()));
  head.headers = std::move(*headers);
  if (auto refusal = parse_framing(head)) return Refused(std::move(*refusal));
  return head;
}

Result<ResponseHead> parse_response_head(std::string_view text) {
  const auto line = next_line(text);
  if (!line || !line->starts_with("HTTP/1.") || line->size() < 12 || (*line)[8] != ' ') {
    return fail(ErrorKind::kCorrupt, "the answer begins with no HTTP/1.x status");
  }
  const auto status = parse_number<std::uint64_t>(line->substr(9, 3));
  if (!status || *status < 100) return fail(ErrorKind::kCorrupt, "the answer's status is no number");
  auto headers = parse_fields(text);
  if (!headers) return fail(ErrorKind::kCorrupt, "the answer's head: {}", headers.error().reason);
  return ResponseHead{.status = static_cast<int>(*status), .headers = std::move(*headers)};
}

}  // namespace slipway::net
