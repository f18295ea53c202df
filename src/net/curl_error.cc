#include "net/curl_error.h"

namespace slipway::net {
namespace {

ErrorKind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM: return ErrorKind::kInvalid;

    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return ErrorKind::kPermission;

    case CURLE_OPERATION_TIMEDOUT: return ErrorKind::kTimeout;

    // The scheme was checked before: what is left is an answer that does not begin with "HTTP/".
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_FILESIZE_EXCEEDED: return ErrorKind::kCorrupt;

    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return ErrorKind::kUnavailable;

    default: return ErrorKind::kInternal;
  }
}

}  // namespace

Error curl_error(CURLcode code, std::string_view doing, std::string_view detail, std::string_view ca_file) {
  const std::string_view general = curl_easy_strerror(code);
  Error error(kind_of(code), fmt::format("{}: {}", doing, detail.empty() ? general : detail));
  if (code == CURLE_SSL_CACERT_BADFILE) {
    return std::move(error).with_hint(fmt::format("the file of trusted certificates is {}", ca_file));
  }
  if (error.kind() != ErrorKind::kPermission) return error;
  if (ca_file.empty()) {
    return std::move(error).with_hint(
        "if the server is yours, name its CA's certificate as s3_ca_file, or add it to the system's certificates");
  }
  return std::move(error).with_hint(fmt::format("{} must hold the certificate of the server's CA", ca_file));
}

}  // namespace slipway::net
