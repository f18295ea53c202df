#include "objects/s3_endpoint.h"

#include <algorithm>
#include <cctype>

#include "base/number.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

bool is_letter_or_digit(char c, bool upper_too) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (upper_too && c >= 'A' && c <= 'Z');
}

bool looks_like_ip(std::string_view name) {
  return name.find_first_not_of("0123456789.") == std::string_view::npos && std::ranges::count(name, '.') == 3;
}

std::string aws_host(std::string_view region) {
  const std::string_view suffix = region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return fmt::format("s3.{}.{}", region, suffix);
}

struct EndpointParts {
  std::string_view scheme;  // empty: neither http nor https
  std::string_view rest;    // all behind it
  std::string_view authority;
  std::string_view base;  // of the path
};

EndpointParts split(std::string_view endpoint) {
  EndpointParts out;
  for (const std::string_view scheme : {"http", "https"}) {
    if (!endpoint.starts_with(scheme) || !endpoint.substr(scheme.size()).starts_with("://")) continue;
    out.scheme = scheme;
    out.rest = endpoint.substr(scheme.size() + 3);
  }
  const std::size_t slash = std::min(out.rest.find('/'), out.rest.size());
  out.authority = out.rest.substr(0, slash);
  out.base = out.rest.substr(slash);
  while (out.base.ends_with('/')) out.base.remove_suffix(1);
  // The default port is not part of the Host header, and so not of what is signed.
  const std::string_view usual = out.scheme == "http" ? ":80" : ":443";
  if (out.authority.ends_with(usual)) out.authority.remove_suffix(usual.size());
  return out;
}

// Of "host:port" or "[v6]:port"; a host without one is good.
bool has_good_port(std::string_view authority) {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return true;
  return parse_number<std::uint16_t>(authority.substr(colon + 1)).value_or(0) >= 1;
}

}  // namespace

std::string_view broken_region_rule(std::string_view region) {
  if (region.empty() || region.size() >= 64) return "must have 1 to 63 characters";
  if (region.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string_view::npos) {
    return "may have only lower-case letters, digits and hyphens";
  }
  return {};
}

std::string_view broken_endpoint_rule(std::string_view endpoint) {
  if (endpoint.empty()) return {};
  const EndpointParts parts = split(endpoint);
  if (parts.scheme.empty()) return "must begin with http:// or https://";
  if (parts.rest.find_first_of("?#@ \\") != std::string_view::npos ||
      std::ranges::any_of(parts.rest, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; })) {
    return "may have no user, query, fragment or blank";
  }
  if (parts.authority.empty() || parts.authority.front() == ':') return "has no host";
  if (!has_good_port(parts.authority)) return "must have a port from 1 to 65535, or none";
  return {};
}

Result<> check_bucket(std::string_view bucket, bool aws) {
  const auto bad = [&](std::string_view rule) {
    return fail(ErrorKind::kInvalid, "the bucket name {} {}", shown(bucket), rule);
  };
  const std::size_t most = aws ? 63 : 255;
  if (bucket.size() < 3 || bucket.size() > most) return bad(fmt::format("must have 3 to {} characters", most));
  for (const char c : bucket) {
    if (is_letter_or_digit(c, !aws) || c == '.' || c == '-' || (!aws && c == '_')) continue;
    return bad(aws ? "may have only lower-case letters, digits, dots and hyphens"
                   : "may have only letters, digits, dots, hyphens and underscores");
  }
  if (!is_letter_or_digit(bucket.front(), !aws) || !is_letter_or_digit(bucket.back(), !aws)) {
    return bad("must begin and end with a letter or a digit");
  }
  if (bucket.find("..") != std::string_view::npos) return bad("may not have two dots in a row");
  if (looks_like_ip(bucket)) return bad("may not look like an IP address");
  return {};
}

Result<S3Endpoint> S3Endpoint::make(std::string_view endpoint, std::string bucket, AddressStyle style) {
  const bool aws = endpoint.empty();
  if (auto checked = check_bucket(bucket, aws); !checked) return fail(checked.error());
  S3Endpoint out;
  const bool dots = bucket.find('.') != std::string::npos;
  out.bucket_ = std::move(bucket);
  out.path_style_ = style == AddressStyle::kPath || (style == AddressStyle::kAuto && (!aws || dots));
  if (aws) return out;

  if (const auto rule = broken_endpoint_rule(endpoint); !rule.empty()) {
    return fail(Error(ErrorKind::kInvalid, fmt::format("the endpoint {} {}", shown(endpoint), rule))
                    .with_hint("write it as https://host or http://host:port"));
  }
  const EndpointParts parts = split(endpoint);
  out.scheme_ = parts.scheme;
  out.authority_ = parts.authority;
  std::ranges::transform(out.authority_, out.authority_.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  out.base_ = parts.base;
  return out;
}

S3Address S3Endpoint::address(std::string_view region, std::string_view key) const {
  const std::string host = is_aws() ? aws_host(region) : authority_;
  S3Address out;
  out.host = path_style_ ? host : fmt::format("{}.{}", bucket_, host);
  out.path = base_ + "/";
  if (path_style_) out.path += bucket_;
  if (!key.empty()) out.path += (path_style_ ? "/" : "") + percent_encode(key, Slash::kKeep);
  out.url = fmt::format("{}://{}{}", scheme_, out.host, out.path);
  return out;
}

std::string S3Endpoint::describe(std::string_view region) const {
  return fmt::format("{}://{}", scheme_, is_aws() ? aws_host(region) : authority_);
}

}  // namespace slipway::objects
