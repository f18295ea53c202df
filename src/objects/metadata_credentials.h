// Credentials from the metadata services of containers and instances: steps 4 and 5 of the chain (credentials.h).
#pragma once

#include <optional>
#include <stop_token>
#include <string_view>

#include "objects/credentials.h"

namespace slipway::objects {

// Nothing when the environment names no such service. One that is named and does not answer is an error.
[[nodiscard]] Result<std::optional<ResolvedCredentials>> credentials_from_container(const Environment& environment,
                                                                                    net::HttpClient& client,
                                                                                    const std::stop_token& stop);

// IMDSv2: a token, then the role, then its document. Nothing when it has no role, or says that it
// does not serve us; Found::kUnreachable or kFailing when it gave no answer to tell by.
[[nodiscard]] Result<std::optional<ResolvedCredentials>> credentials_from_instance(const Environment& environment,
                                                                                   net::HttpClient& client,
                                                                                   const std::stop_token& stop);

// A client for these: a machine without the service must not wait long, and no proxy is told our secrets (nor would it
// know whose metadata is meant).
[[nodiscard]] net::HttpClientOptions metadata_client_options();

// Over plain HTTP only this machine and the known link-local addresses may be told our authorization.
[[nodiscard]] Result<> check_container_uri(std::string_view uri);

}  // namespace slipway::objects
