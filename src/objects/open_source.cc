#include "objects/open_source.h"

#include <utility>

#include "net/http_client.h"
#include "objects/local_source.h"
#include "objects/s3_source.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

// The path of a file URL: file:///path or file://localhost/path, percent-encoded or not.
Result<std::filesystem::path> path_of(std::string_view url) {
  const auto bad = [&](std::string_view rule) {
    return fail(Error(ErrorKind::kInvalid, fmt::format("the bucket {} {}", shown(url), rule))
                    .with_hint("write a folder as file:///path/to/it"));
  };
  std::string_view rest = url.substr(std::string_view("file:").size());
  if (rest.starts_with("//localhost/")) rest.remove_prefix(std::string_view("//localhost").size());
  if (rest.starts_with("///")) rest.remove_prefix(2);
  if (rest.starts_with("//") || !rest.starts_with('/')) return bad("must name an absolute path on this machine");
  auto decoded = percent_decode(rest, Plus::kAsItIs);
  if (!decoded) return bad("has a % that is not followed by two hexadecimal digits (write %25 for the sign itself)");
  if (decoded->find('\0') != std::string::npos) return bad("has a zero byte");
  return std::filesystem::path(*decoded);
}

Result<std::unique_ptr<ObjectSource>> open_folder(const SourceSettings& settings) {
  const auto path = path_of(settings.bucket);
  if (!path) return fail(path.error());
  auto source = LocalSource::open(*path);
  if (!source) return fail(source.error());
  return std::unique_ptr<ObjectSource>(std::move(*source));
}

}  // namespace

Result<std::unique_ptr<ObjectSource>> open_source(const SourceSettings& settings) {
  if (settings.bucket.starts_with("file:")) return open_folder(settings);
  if (settings.bucket.empty()) {
    return fail(Error(ErrorKind::kInvalid, "no bucket is set")
                    .with_hint("set s3_bucket to the name of a bucket, or to file:///path for a folder"));
  }
  if (settings.bucket.find("://") != std::string::npos) {
    return fail(Error(ErrorKind::kInvalid,
                      fmt::format("the bucket {} is neither a name nor a file:// URL", shown(settings.bucket)))
                    .with_hint("set s3_bucket to the bare name, and s3_endpoint to the server"));
  }
  const auto& environment = settings.environment;
  std::filesystem::path home = settings.home;
  if (home.empty() && environment) home = environment("HOME").value_or("");
  auto credentials = std::make_shared<CredentialsChain>(
      CredentialsChainOptions{
          .given = settings.credentials, .environment = environment, .home = std::move(home), .log = settings.log},
      *settings.clock);
  const auto endpoint = S3Endpoint::make(settings.endpoint, settings.bucket, settings.style);
  if (!endpoint) return fail(endpoint.error());
  auto source = S3Source::make({.bucket = settings.bucket,
                                .region = settings.region,
                                .endpoint = settings.endpoint,
                                .style = settings.style,
                                .etag = settings.verify_etag ? EtagUse::kMd5 : EtagUse::kOpaque,
                                .client = std::make_shared<net::HttpClient>(net::HttpClientOptions{
                                    .user_agent = settings.user_agent, .ca_file = settings.ca_file}),
                                .credentials = std::move(credentials),
                                .throttle = settings.throttles != nullptr
                                                ? settings.throttles->of(endpoint->describe(settings.region))
                                                : nullptr,
                                .clock = settings.clock,
                                .stall_timeout = settings.stall_timeout,
                                .log = settings.log});
  if (!source) return fail(source.error());
  return std::unique_ptr<ObjectSource>(std::move(*source));
}

}  // namespace slipway::objects
