#include "objects/s3_answer.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/number.h"
#include "objects/s3_xml.h"
#include "objects/time_text.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

bool one_of(std::string_view code, std::initializer_list<std::string_view> codes) {
  return std::ranges::find(codes, code) != codes.end();
}

bool is_slow_down(int status, std::string_view code) {
  return status == 429 || status >= 500 || one_of(code, {"SlowDown", "ServiceUnavailable", "TooManyRequests"});
}

ErrorKind kind_of(int status, std::string_view code) {
  if (is_slow_down(status, code) || status >= 500 || status == 408 ||
      one_of(code, {"RequestTimeout", "InternalError"})) {
    return ErrorKind::kUnavailable;
  }
  // Asked again, they are signed anew.
  if (one_of(code, {"ExpiredToken", "TokenRefreshRequired"})) return ErrorKind::kPermission;
  if (status == 404 || one_of(code, {"NoSuchKey", "NoSuchBucket"})) return ErrorKind::kNotFound;
  if (status == 401 || status == 403) return ErrorKind::kPermission;
  if (status == 412 || status == 409 || status == 416) return ErrorKind::kConflict;
  return ErrorKind::kInvalid;
}

std::string hint_of(int status, std::string_view code, const AnswerContext& context) {
  if (code == "RequestTimeTooSkewed") return "set this machine's clock right: it differs too much from the server's";
  if (code == "NoSuchBucket") return "check s3_bucket, s3_region and s3_endpoint";
  if (one_of(code, {"ExpiredToken", "TokenRefreshRequired", "InvalidToken"})) {
    return fmt::format("the credentials ({}) have expired: renew them", context.credentials_origin);
  }
  if (status != 401 && status != 403) return {};
  if (context.anonymous) {
    return fmt::format(
        "the bucket does not allow anonymous reading, and the request was anonymous ({}): set AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY, or a profile",
        context.credentials_origin);
  }
  if (code == "SignatureDoesNotMatch") {
    return fmt::format("the secret key of {} is not that of its access key id", context.credentials_origin);
  }
  return fmt::format(
      "the request was signed with the credentials of {}: they must be allowed to list the bucket and to "
      "get its objects",
      context.credentials_origin);
}

struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total{};
};

// "bytes 0-99/1000", or with * for the total.
std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) return std::nullopt;
  const auto first = parse_number<std::uint64_t>(text.substr(0, dash));
  const auto last = parse_number<std::uint64_t>(text.substr(dash + 1, slash - dash - 1));
  const std::string_view total = text.substr(slash + 1);
  if (!first || !last || (total != "*" && !parse_number<std::uint64_t>(total))) return std::nullopt;
  return ContentRange{*first, *last, parse_number<std::uint64_t>(total)};
}

Result<> check_same_object(const net::Headers& headers, const RangeRequest& request) {
  const auto replaced = [&] { return fail(ErrorKind::kConflict, "the object {} was replaced", shown(request.key)); };
  if (const auto etag = headers.get("ETag")) {
    if (!request.etag.empty() && bare_etag(*etag) != request.etag) return replaced();
    if (!request.etag.empty()) return {};
  }
  const auto modified = parse_http_date(headers.get("Last-Modified").value_or(""));
  if (modified && request.modified &&
      std::chrono::floor<std::chrono::seconds>(*modified) !=
          std::chrono::floor<std::chrono::seconds>(*request.modified)) {
    return replaced();
  }
  return {};
}

}  // namespace

BadAnswer read_bad_answer(const net::HttpHead& head, std::string_view body, const AnswerContext& context) {
  const ErrorAnswer said = parse_error_answer(body).value_or(ErrorAnswer{});
  BadAnswer out{.error = Error(kind_of(head.status, said.code), ""), .code = said.code};
  std::string text = fmt::format("the server answered {}", head.status);
  if (!said.code.empty()) text += " " + shown(said.code);
  if (!said.message.empty()) text += ": " + shown(said.message);
  out.error = Error(out.error.kind(), std::move(text));
  if (std::string hint = hint_of(head.status, said.code, context); !hint.empty()) {
    out.error = std::move(out.error).with_hint(std::move(hint));
  }
  out.slow_down = is_slow_down(head.status, said.code);
  out.expired = one_of(said.code, {"ExpiredToken", "TokenRefreshRequired"});
  const bool elsewhere = head.status == 301 || head.status == 302 || head.status == 307 || head.status == 308 ||
                         head.status == 400 || one_of(said.code, {"AuthorizationHeaderMalformed", "PermanentRedirect"});
  if (head.status >= 300 && head.status < 400) {
    const std::string where = said.endpoint.empty() ? head.headers.get("Location").value_or("") : said.endpoint;
    out.error = std::move(out.error).with_hint(
        fmt::format("redirects are not followed to other hosts: set s3_region and s3_endpoint to where the bucket is{}",
                    where.empty() ? "" : ", the server says " + shown(where)));
  }
  if (elsewhere) {
    const std::string region = head.headers.get("x-amz-bucket-region").value_or(said.region);
    if (!region.empty() && region.size() < 64 &&
        region.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos) {
      out.region = region;
    }
  }
  return out;
}

Answered answered(const BadAnswer& bad) { return bad.slow_down ? Answered::kSlowDown : Answered::kWell; }

std::optional<Duration> retry_after(const net::Headers& headers, TimePoint now) {
  const auto text = headers.get("Retry-After");
  return text ? parse_retry_after(*text, now) : std::nullopt;
}

std::vector<Checksum> read_checksums(const net::Headers& headers, EtagUse etag) {
  struct Known {
    const char* name;
    HashAlgorithm algorithm;
    std::size_t size;
  };
  constexpr std::array<Known, 5> kKnown = {{{"x-amz-checksum-crc32", HashAlgorithm::kCrc32, 4},
                                            {"x-amz-checksum-crc32c", HashAlgorithm::kCrc32c, 4},
                                            {"x-amz-checksum-crc64nvme", HashAlgorithm::kCrc64Nvme, 8},
                                            {"x-amz-checksum-sha1", HashAlgorithm::kSha1, 20},
                                            {"x-amz-checksum-sha256", HashAlgorithm::kSha256, 32}}};
  std::vector<Checksum> out;
  const bool composite = headers.get("x-amz-checksum-type").value_or("") == "COMPOSITE";
  for (const Known& known : kKnown) {
    const auto text = headers.get(known.name);
    if (!text || composite) continue;
    // "…-N" is not base64, and a value of another length is not of this algorithm.
    if (auto value = from_base64(*text); value && value->size() == known.size) {
      out.push_back({known.algorithm, std::move(*value)});
    }
  }
  if (!out.empty() || etag == EtagUse::kOpaque) return out;
  const bool encrypted = headers.get("x-amz-server-side-encryption").value_or("").starts_with("aws:kms") ||
                         headers.get("x-amz-server-side-encryption-customer-algorithm").has_value();
  const auto md5 = from_hex(bare_etag(headers.get("ETag").value_or("")));
  if (!encrypted && md5 && md5->size() == 16) out.push_back({HashAlgorithm::kMd5, *md5});
  return out;
}

Result<ObjectInfo> read_object_info(std::string key, const net::Headers& headers, EtagUse etag) {
  const auto size = parse_number<std::uint64_t>(headers.get("Content-Length").value_or(""));
  if (!size) return fail(ErrorKind::kCorrupt, "the server's answer has no size of the object");
  return ObjectInfo{.key = std::move(key),
                    .size = *size,
                    .etag = bare_etag(headers.get("ETag").value_or("")),
                    .modified = parse_http_date(headers.get("Last-Modified").value_or("")),
                    .checksums = read_checksums(headers, etag)};
}

Result<> check_read_head(const net::HttpHead& head, const RangeRequest& request) {
  const bool whole = request.offset == 0 && request.length == request.object_size;
  if (auto same = check_same_object(head.headers, request); !same) return same;
  if (head.status == 200) {
    if (!whole) return fail(ErrorKind::kUnsupported, "the server sent all of {} instead of a part", shown(request.key));
    const auto size = head.headers.get("Content-Length");
    if (size && parse_number<std::uint64_t>(*size) != request.object_size) {
      return fail(ErrorKind::kConflict, "the object {} was replaced: it has another size", shown(request.key));
    }
    return {};
  }
  const auto range = parse_content_range(head.headers.get("Content-Range").value_or(""));
  if (!range) return fail(ErrorKind::kCorrupt, "the server sent a part of {} without saying which", shown(request.key));
  if (range->total && *range->total != request.object_size) {
    return fail(ErrorKind::kConflict, "the object {} was replaced: it has another size", shown(request.key));
  }
  if (range->first != request.offset || range->last != request.offset + request.length - 1) {
    return fail(ErrorKind::kCorrupt, "the server sent bytes {}-{} of {}, asked for were {}-{}", range->first,
                range->last, shown(request.key), request.offset, request.offset + request.length - 1);
  }
  return {};
}

}  // namespace slipway::objects
