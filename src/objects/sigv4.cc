#include "objects/sigv4.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <span>

#include <fmt/format.h>

#include "base/digest.h"
#include "objects/time_text.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Blanks around are gone, and each run of them within is one.
std::string trimmed(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

// By name; values of the same name joined with commas in their order.
std::map<std::string, std::string> canonical_headers(const net::Headers& headers) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : headers) {
    const auto [at, is_new] = out.try_emplace(lower(name), trimmed(value));
    if (!is_new) at->second += "," + trimmed(value);
  }
  return out;
}

std::string names_of(const std::map<std::string, std::string>& headers) {
  std::string out;
  for (const auto& [name, value] : headers) out += (out.empty() ? "" : ";") + name;
  return out;
}

DigestBytes hmac(const DigestBytes& key, std::string_view text) { return hmac_sha256(key, text); }

}  // namespace

std::string canonical_query(const std::vector<std::pair<std::string, std::string>>& query) {
  std::vector<std::pair<std::string, std::string>> encoded;
  encoded.reserve(query.size());
  for (const auto& [name, value] : query) {
    encoded.emplace_back(percent_encode(name, Slash::kEncode), percent_encode(value, Slash::kEncode));
  }
  std::ranges::sort(encoded);
  std::string out;
  for (const auto& [name, value] : encoded) out += fmt::format("{}{}={}", out.empty() ? "" : "&", name, value);
  return out;
}

std::string canonical_request(const SignedRequest& request) {
  const auto headers = canonical_headers(request.headers);
  std::string out = fmt::format("{}\n{}\n{}\n", request.method, request.path, canonical_query(request.query));
  for (const auto& [name, value] : headers) out += fmt::format("{}:{}\n", name, value);
  return out + fmt::format("\n{}\n{}", names_of(headers), request.payload_sha256);
}

std::string authorization(const SignedRequest& request, const Credentials& credentials, const SigningScope& scope,
                          TimePoint at) {
  const std::string date = to_amz_date(at);
  const std::string day = date.substr(0, 8);
  const std::string scope_text = fmt::format("{}/{}/{}/aws4_request", day, scope.region, scope.service);
  const std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", date, scope_text, sha256_hex(canonical_request(request)));

  const std::string secret = "AWS4" + credentials.secret_access_key;
  DigestBytes key(secret.begin(), secret.end());
  for (const std::string_view part : {std::string_view(day), std::string_view(scope.region),
                                      std::string_view(scope.service), std::string_view("aws4_request")}) {
    key = hmac(key, part);
  }
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}", credentials.access_key_id,
                     scope_text, names_of(canonical_headers(request.headers)), to_hex(hmac(key, to_sign)));
}

void sign_s3(SignedRequest& request, const Credentials& credentials, const SigningScope& scope, TimePoint at) {
  if (credentials.anonymous()) return;
  request.headers.add("x-amz-date", to_amz_date(at));
  request.headers.add("x-amz-content-sha256", request.payload_sha256);
  if (!credentials.session_token.empty()) request.headers.add("x-amz-security-token", credentials.session_token);
  request.headers.add("Authorization", authorization(request, credentials, scope, at));
}

}  // namespace slipway::objects
