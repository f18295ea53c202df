// AWS Signature Version 4 for requests whose body is not signed piece by piece. Pure: the same arguments give the same
// signature, whoever asks and whenever.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "net/http_client.h"

namespace slipway::objects {

struct Credentials {
  std::string access_key_id{};  // empty: anonymous
  std::string secret_access_key{};
  std::string session_token{};  // empty: long-lived credentials

  [[nodiscard]] bool anonymous() const { return access_key_id.empty(); }
};

// What is signed. Headers must hold all that is to be signed, `host` first of all; names in any case.
struct SignedRequest {
  std::string method = "GET";
  std::string path = "/";                                    // percent-encoded once, as it is sent
  std::vector<std::pair<std::string, std::string>> query{};  // not encoded
  net::Headers headers{};
  std::string payload_sha256{};  // hex, or kUnsignedPayload
};

inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

struct SigningScope {
  std::string region{};
  std::string service = "s3";
};

// The query as it must be sent: encoded, and sorted by the encoded names, then values.
[[nodiscard]] std::string canonical_query(const std::vector<std::pair<std::string, std::string>>& query);

// The six lines that are signed. The path stands as it is: S3 neither encodes it again nor removes dot segments.
[[nodiscard]] std::string canonical_request(const SignedRequest& request);

// The value of the Authorization header. `at` must be that of the request's x-amz-date.
[[nodiscard]] std::string authorization(const SignedRequest& request, const Credentials& credentials,
                                        const SigningScope& scope, TimePoint at);

// Adds x-amz-date, x-amz-content-sha256, x-amz-security-token where there is one, and Authorization. Anonymous:
// nothing.
void sign_s3(SignedRequest& request, const Credentials& credentials, const SigningScope& scope, TimePoint at);

}  // namespace slipway::objects
