#include "objects/metadata_credentials.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "base/json.h"
#include "objects/time_text.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

constexpr std::chrono::milliseconds kPatience{2'000};
constexpr net::FetchLimits kLimits{.max_body = 64 << 10};
constexpr std::string_view kContainerHost = "http://169.254.170.2";
constexpr std::string_view kInstanceHost = "http://169.254.169.254";

// The document that both services send. Its text is never shown: it holds the secret.
Result<ResolvedCredentials> parse_document(std::string_view text, const std::string& origin) {
  const auto bad = [&](std::string_view what) {
    return fail(ErrorKind::kCorrupt, "{} answered without {}", origin, what);
  };
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return bad("a JSON object");
  const auto text_of = [&](const char* name) {
    const auto found = json->find(name);
    return found != json->end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (const std::string code = text_of("Code"); !code.empty() && code != "Success") {
    return fail(ErrorKind::kUnavailable, "{} answered {}", origin, shown(code));
  }
  ResolvedCredentials out{.credentials = {text_of("AccessKeyId"), text_of("SecretAccessKey"), text_of("Token")},
                          .origin = origin};
  if (out.credentials.access_key_id.empty()) return bad("AccessKeyId");
  if (out.credentials.secret_access_key.empty()) return bad("SecretAccessKey");
  if (const std::string expires = text_of("Expiration"); !expires.empty()) {
    out.expires = parse_iso8601(expires);
    if (!out.expires) return bad("a time in Expiration");
  }
  return out;
}

bool has_control_bytes(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

Result<std::string> authorization_token(const Environment& environment) {
  std::string token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or("");
  if (const auto file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
    std::ifstream in(*file, std::ios::binary);
    if (!in)
      return fail(ErrorKind::kInvalid, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names {}, which cannot be read", *file);
    token.assign(std::istreambuf_iterator<char>(in), {});
    while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
  }
  if (has_control_bytes(token))
    return fail(ErrorKind::kInvalid, "the container's authorization token has a control byte");
  return token;
}

// Nothing for now. One that was never there looks like one that has a bad moment.
std::optional<ResolvedCredentials> no_answer(const std::string& why, bool is_there) {
  return ResolvedCredentials{.origin = "no credentials were found: " + why,
                             .found = is_there ? Found::kFailing : Found::kUnreachable};
}

}  // namespace

net::HttpClientOptions metadata_client_options() {
  return {.max_connections = 2, .connect_timeout = std::chrono::milliseconds(1'000), .proxies = false};
}

Result<> check_container_uri(std::string_view uri) {
  if (uri.starts_with("https://")) return {};
  constexpr std::string_view kHttp = "http://";
  if (uri.starts_with(kHttp)) {
    std::string_view host = uri.substr(kHttp.size());
    host = host.substr(0, host.find_first_of("/?#"));
    if (!host.starts_with('[')) {
      host = host.substr(0, host.find(':'));
    } else {
      host = host.substr(0, host.find(']') + 1);
    }
    constexpr std::array<std::string_view, 5> kAllowed = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23",
                                                          "[fd00:ec2::23]"};
    const bool loopback = host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
    if (loopback || std::ranges::find(kAllowed, host) != kAllowed.end()) return {};
  }
  return fail(ErrorKind::kInvalid,
              "AWS_CONTAINER_CREDENTIALS_FULL_URI is {}: it must be https, or http to this machine or to the "
              "link-local addresses of container services",
              shown(uri));
}

Result<std::optional<ResolvedCredentials>> credentials_from_container(const Environment& environment,
                                                                      net::HttpClient& client,
                                                                      const std::stop_token& stop) {
  std::string url;
  if (const auto relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")) {
    if (!relative->starts_with('/')) {
      return fail(ErrorKind::kInvalid, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must begin with a slash, not {}",
                  shown(*relative));
    }
    url = std::string(kContainerHost) + *relative;
  } else if (const auto full = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
    if (auto allowed = check_container_uri(*full); !allowed) return fail(allowed.error());
    url = *full;
  } else {
    return std::nullopt;
  }
  auto token = authorization_token(environment);
  if (!token) return fail(token.error());
  net::HttpRequest request{.url = url, .stall_timeout = kPatience};
  if (!token->empty()) request.headers.add("Authorization", *token);
  const auto answer = client.fetch(std::move(request), kLimits, stop);
  const std::string origin = "the container's metadata service";
  if (!answer) return answer.error().during("ask {} for credentials", origin);
  if (answer->status != 200) {
    return fail(answer->status >= 500 || answer->status == 429 ? ErrorKind::kUnavailable : ErrorKind::kPermission,
                "{} answered {} to the question for credentials", origin, answer->status);
  }
  auto found = parse_document(answer->body, origin);
  if (!found) return fail(found.error());
  return std::optional(std::move(*found));
}

Result<std::optional<ResolvedCredentials>> credentials_from_instance(const Environment& environment,
                                                                     net::HttpClient& client,
                                                                     const std::stop_token& stop) {
  if (environment("AWS_EC2_METADATA_DISABLED").value_or("") == "true") return std::nullopt;
  std::string base = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT").value_or(std::string(kInstanceHost));
  while (base.ends_with('/')) base.pop_back();

  const auto token = client.fetch({.method = "PUT",
                                   .url = base + "/latest/api/token",
                                   .headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "21600"}},
                                   .stall_timeout = kPatience},
                                  kLimits, stop);
  if (!token && token.error().kind() == ErrorKind::kCancelled) return fail(token.error());
  const std::string origin = "the instance's metadata service";
  if (!token) return no_answer(fmt::format("{} could not be reached", origin), /*is_there=*/false);
  if (token->status >= 500 || token->status == 429) {
    return no_answer(fmt::format("{} answered {}", origin, token->status), /*is_there=*/true);
  }
  if (token->status != 200 || token->body.empty() || has_control_bytes(token->body)) return std::nullopt;

  const auto ask = [&](const std::string& path) {
    return client.fetch({.url = base + "/latest/meta-data/iam/security-credentials/" + path,
                         .headers = {{"X-aws-ec2-metadata-token", token->body}},
                         .stall_timeout = kPatience},
                        kLimits, stop);
  };
  const auto roles = ask("");
  if (!roles) return roles.error().during("ask {} for its role", origin);
  if (roles->status == 404) return std::nullopt;
  const std::string role = roles->body.substr(0, roles->body.find_first_of("\r\n"));
  if (roles->status != 200 || role.empty()) {
    return fail(ErrorKind::kUnavailable, "{} answered {} to the question for its role", origin, roles->status);
  }
  const auto document = ask(percent_encode(role, Slash::kEncode));
  if (!document) return document.error().during("ask {} for credentials", origin);
  if (document->status != 200) {
    return fail(ErrorKind::kUnavailable, "{} answered {} to the question for credentials", origin, document->status);
  }
  auto found = parse_document(document->body, origin);
  if (!found) return fail(found.error());
  return std::optional(std::move(*found));
}

}  // namespace slipway::objects
