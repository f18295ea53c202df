// Where a bucket's requests go: the host, the path and the URL of a key, in path style or virtual-host style.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace slipway::objects {

enum class AddressStyle : std::uint8_t {
  kAuto,         // path style with an endpoint of one's own or dots in the bucket's name, else virtual-host
  kPath,         // https://host/bucket/key
  kVirtualHost,  // https://bucket.host/key
};

// Three to 63 of a-z 0-9 . -, beginning and ending with a letter or digit, no two dots in a row, no IP address. Servers
// other than AWS also have upper case and _, and up to 255 bytes. kInvalid, naming the rule.
[[nodiscard]] Result<> check_bucket(std::string_view bucket, bool aws);

// The rule that a region, or an endpoint ("" is AWS), breaks: "may have …". Empty when it is good.
[[nodiscard]] std::string_view broken_region_rule(std::string_view region);
[[nodiscard]] std::string_view broken_endpoint_rule(std::string_view endpoint);

struct S3Address {
  std::string host{};  // as the Host header has it
  std::string path{};  // encoded
  std::string url{};   // without a query
};

class S3Endpoint {
 public:
  // `endpoint` is empty for AWS, else "http[s]://host[:port][/path]". kInvalid for anything else.
  [[nodiscard]] static Result<S3Endpoint> make(std::string_view endpoint, std::string bucket, AddressStyle style);

  // Of a key, or with an empty one of the bucket.
  [[nodiscard]] S3Address address(std::string_view region, std::string_view key) const;
  // The region is part of the name of AWS's hosts only.
  [[nodiscard]] bool is_aws() const { return authority_.empty(); }
  [[nodiscard]] std::string describe(std::string_view region) const;  // "https://host"

 private:
  std::string scheme_ = "https";
  std::string authority_{};  // empty: AWS
  std::string base_{};       // what stands before the bucket in the path, without a slash at its end
  std::string bucket_{};
  bool path_style_ = false;
};

}  // namespace slipway::objects
