#include "objects/testing/fake_s3.h"

#include <algorithm>
#include <sstream>

#include "objects/time_text.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

Query parse_query(const std::string& text) {
  Query out;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, '&');) {
    const auto equals = item.find('=');
    const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    out.emplace_back(*percent_decode(item.substr(0, equals), Plus::kAsItIs), *percent_decode(value, Plus::kAsItIs));
  }
  return out;
}

std::string value_of(const Query& query, std::string_view name) {
  const auto found = std::ranges::find(query, name, &Query::value_type::first);
  return found == query.end() ? "" : found->second;
}

// As AWS and its followers do it: a blank becomes a plus.
std::string form_encode(const std::string& key) {
  std::string out = percent_encode(key, Slash::kKeep);
  for (auto at = out.find("%20"); at != std::string::npos; at = out.find("%20", at)) out.replace(at, 3, "+");
  return out;
}

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return out;
}

std::string header_name(HashAlgorithm algorithm) {
  switch (algorithm) {
    case HashAlgorithm::kCrc32: return "x-amz-checksum-crc32";
    case HashAlgorithm::kCrc32c: return "x-amz-checksum-crc32c";
    case HashAlgorithm::kCrc64Nvme: return "x-amz-checksum-crc64nvme";
    case HashAlgorithm::kSha1: return "x-amz-checksum-sha1";
    default: return "x-amz-checksum-sha256";
  }
}

std::string error_xml(std::string_view code, std::string_view more = "") {
  return fmt::format("<?xml version=\"1.0\"?><Error><Code>{}</Code><Message>no</Message>{}</Error>", code, more);
}

std::string last_modified(int version) {
  return fmt::format("Tue, 14 Nov 2023 22:{:02}:{:02} GMT", version / 60 % 60, version % 60);
}

std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const auto begin = text.find(before);
  if (begin == std::string::npos) return {};
  const auto from = begin + before.size();
  return text.substr(from, std::min(text.find(after, from), text.size()) - from);
}

}  // namespace

FakeS3::FakeS3(FakeS3Quirks quirks)
    : quirks_(std::move(quirks)),
      proxy_([this](const net::ServerRequest& request, net::ResponseWriter& writer) { serve(request, writer); }) {}

void FakeS3::put(const std::string& key, std::string bytes) {
  const sys::Lock lock(mutex_);
  // The MD5 where bytes alone tell versions apart; the sort of ETag that multipart uploads have elsewhere.
  const std::string md5 = to_hex(digest(HashAlgorithm::kMd5, quirks_.odd_etags ? "salt" + bytes : bytes));
  const int version = ++versions_;
  objects_[key] = {std::move(bytes), version % 2 == 1 ? md5 : fmt::format("{}-{}", md5, version), version};
}

S3Options FakeS3::options() {
  return {.bucket = kBucket,
          .endpoint = proxy_.url(),
          .client = std::make_shared<net::HttpClient>(net::HttpClientOptions{}),
          .credentials = fixed_credentials(credentials()),
          .throttle = std::make_shared<Throttle>(
              sys::system_clock(), ThrottlePolicy{.first_delay = Duration(100), .longest_delay = Duration(1000)})};
}

std::string FakeS3::refusal(const net::ServerRequest& request) const {
  const auto header = request.headers.get("Authorization");
  if (!header) return "AccessDenied";
  const Credentials good = credentials();
  const std::string scope = between(*header, "Credential=" + good.access_key_id + "/", ",");
  if (scope.empty()) return "InvalidAccessKeyId";
  if (between(scope, "/", "/") != quirks_.region) return "AuthorizationHeaderMalformed";
  SignedRequest again{.method = request.method,
                      .path = request.path,
                      .query = parse_query(request.query),
                      .payload_sha256 = request.headers.get("x-amz-content-sha256").value_or("")};
  std::istringstream names(between(*header, "SignedHeaders=", ","));
  for (std::string name; std::getline(names, name, ';');) {
    again.headers.add(name, request.headers.get(name).value_or("missing"));
  }
  const std::string date = request.headers.get("x-amz-date").value_or("19700101T000000Z");
  const auto at =
      parse_iso8601(fmt::format("{}-{}-{}T{}:{}:{}Z", date.substr(0, 4), date.substr(4, 2), date.substr(6, 2),
                                date.substr(9, 2), date.substr(11, 2), date.substr(13, 2)));
  const bool right = at && authorization(again, good, {.region = quirks_.region}, *at) == *header;
  return right ? "" : "SignatureDoesNotMatch";
}

void FakeS3::serve(const net::ServerRequest& request, net::ResponseWriter& writer) {
  const std::string refused = refusal(request);
  // In virtual-host style the bucket is the first part of the host's name.
  const bool virtual_host = request.headers.get("Host").value_or("").starts_with(fmt::format("{}.", kBucket));
  const std::string root = virtual_host ? "" : fmt::format("/{}", kBucket);
  if (refused == "AuthorizationHeaderMalformed") {
    static_cast<void>(writer.send(400, {{"x-amz-bucket-region", quirks_.region}},
                                  error_xml(refused, fmt::format("<Region>{}</Region>", quirks_.region))));
  } else if (!refused.empty()) {
    static_cast<void>(writer.send(403, {}, error_xml(refused)));
  } else if (request.path == (virtual_host ? "/" : root)) {
    serve_list(request, writer);
  } else if (request.path.starts_with(root + "/")) {
    serve_object(request, writer, *percent_decode(request.path.substr(root.size() + 1), Plus::kAsItIs));
  } else {
    static_cast<void>(writer.send(404, {}, error_xml("NoSuchBucket")));
  }
}

net::Headers FakeS3::headers_of(const Stored& object, bool whole) const {
  net::Headers headers{{"Accept-Ranges", "bytes"}};
  if (quirks_.etags) headers.add("ETag", fmt::format("\"{}\"", object.etag));
  if (quirks_.last_modified) headers.add("Last-Modified", last_modified(object.version));
  if (quirks_.checksum && whole) {
    auto value = digest(*quirks_.checksum, object.bytes);
    if (quirks_.damaged_checksum) value.back() ^= 1;
    headers.add(header_name(*quirks_.checksum), to_base64(value));
  }
  return headers;
}

void FakeS3::serve_object(const net::ServerRequest& request, net::ResponseWriter& writer, const std::string& key) {
  Stored object;
  {
    const sys::Lock lock(mutex_);
    const auto found = objects_.find(key);
    if (found == objects_.end()) return static_cast<void>(writer.send(404, {}, error_xml("NoSuchKey")));
    object = found->second;
  }
  const auto match = request.headers.get("If-Match");
  if (quirks_.if_match && match && *match != fmt::format("\"{}\"", object.etag)) {
    return static_cast<void>(writer.send(412, {}, error_xml("PreconditionFailed")));
  }
  const auto range = request.headers.get("Range");
  if (!range || !quirks_.ranges) {
    return static_cast<void>(writer.send(200, headers_of(object, /*whole=*/true), object.bytes));
  }
  const std::string first_text = between(*range, "bytes=", "-");
  const std::string last_text = range->substr(range->find('-') + 1);
  const std::size_t first = std::stoull(first_text);
  if (first >= object.bytes.size()) return static_cast<void>(writer.send(416, {}, error_xml("InvalidRange")));
  const std::size_t last = std::min<std::size_t>(std::stoull(last_text), object.bytes.size() - 1);
  auto headers = headers_of(object, /*whole=*/false);
  headers.add("Content-Range", fmt::format("bytes {}-{}/{}", first, last, object.bytes.size()));
  static_cast<void>(writer.send(206, headers, object.bytes.substr(first, last - first + 1)));
}

void FakeS3::serve_list(const net::ServerRequest& request, net::ResponseWriter& writer) {
  using List = FakeS3Quirks::List;
  const Query query = parse_query(request.query);
  const bool version2 = quirks_.list == List::kVersion2 || quirks_.list == List::kSameToken;
  std::string after = version2 ? value_of(query, "start-after") : value_of(query, "marker");
  if (const std::string token = value_of(query, "continuation-token"); token.starts_with("token+/=")) {
    after = token.substr(std::string_view("token+/=").size());
  }
  if (quirks_.list == List::kSamePage) after.clear();
  const bool encode = quirks_.encodes_keys && value_of(query, "encoding-type") == "url";
  const auto spell = [&](const std::string& key) { return encode ? form_encode(key) : escape(key); };
  const auto most = static_cast<std::size_t>(std::stoul(value_of(query, "max-keys")));

  std::string contents;
  std::string last;
  std::size_t count = 0;
  bool truncated = false;
  const sys::Lock lock(mutex_);
  for (auto at = objects_.upper_bound(after); at != objects_.end(); ++at) {
    if (!at->first.starts_with(value_of(query, "prefix"))) continue;
    if (count++ == most) {
      truncated = true;
      break;
    }
    last = at->first;
    contents += fmt::format("<Contents><Key>{}</Key><ETag>&quot;{}&quot;</ETag><Size>{}</Size></Contents>",
                            spell(at->first), at->second.etag, at->second.bytes.size());
  }
  std::string next;
  if (truncated && quirks_.list == List::kVersion2)
    next = "<NextContinuationToken>token+/=" + escape(last) + "</NextContinuationToken>";
  if (truncated && quirks_.list == List::kMarker) next = "<NextMarker>" + spell(last) + "</NextMarker>";
  if (quirks_.list == List::kSameToken) {
    truncated = true;
    contents.clear();
    next = "<NextContinuationToken>same</NextContinuationToken>";
  }
  if (quirks_.list == List::kSamePage) truncated = true;
  static_cast<void>(writer.send(
      200, {{"Content-Type", "application/xml"}},
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult><Name>{}</Name>{}<IsTruncated>{}"
                  "</IsTruncated>{}{}</ListBucketResult>",
                  kBucket, encode ? "<EncodingType>url</EncodingType>" : "", truncated, next, contents)));
}

}  // namespace slipway::objects
