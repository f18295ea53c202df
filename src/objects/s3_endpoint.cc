#include "objects/s3_endpoint.h"

#include <algorithm>
#include <cctype>

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

}  // namespace

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

  const auto bad = [&](std::string_view rule) -> std::unexpected<Error> {
    return fail(Error(ErrorKind::kInvalid, fmt::format("the endpoint {} {}", shown(endpoint), rule))
                    .with_hint("write it as https://host or http://host:port"));
  };
  std::string_view rest = endpoint;
  if (rest.starts_with("http://")) {
    out.scheme_ = "http";
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else {
    return bad("must begin with http:// or https://");
  }
  if (rest.find_first_of("?#@ \\") != std::string_view::npos ||
      std::ranges::any_of(rest, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; })) {
    return bad("may have no user, query, fragment or blank");
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  std::string_view base = rest.substr(slash);
  while (base.ends_with('/')) base.remove_suffix(1);
  // The default port is not part of the Host header, and so not of what is signed.
  const std::string_view usual = out.scheme_ == "http" ? ":80" : ":443";
  if (authority.ends_with(usual)) authority.remove_suffix(usual.size());
  if (authority.empty() || authority.front() == ':') return bad("has no host");
  out.authority_ = authority;
  std::ranges::transform(out.authority_, out.authority_.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  out.base_ = base;
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
