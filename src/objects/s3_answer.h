// What an S3 server's answer means: an error of ours, the facts about an object, and whether a range is the one that
// was asked for. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "net/http_client.h"
#include "objects/object_source.h"
#include "objects/throttle.h"

namespace slipway::objects {

// What an error answer is told with.
struct AnswerContext {
  std::string bucket{};
  std::string key{};                 // empty: the bucket itself
  std::string credentials_origin{};  // who signed it, for people
  bool anonymous = false;
};

struct BadAnswer {
  Error error;
  std::string code{};                   // S3's own name of it, where there is one
  std::optional<std::string> region{};  // the bucket is there: ask again
  bool slow_down = false;
  bool expired = false;  // the credentials are no longer good
};

// For every status but 200 and 206. The error does not name the object or the bucket: the caller does, once.
[[nodiscard]] BadAnswer read_bad_answer(const net::HttpHead& head, std::string_view body, const AnswerContext& context);

[[nodiscard]] Answered answered(const BadAnswer& bad);
[[nodiscard]] std::optional<Duration> retry_after(const net::Headers& headers, TimePoint now);

enum class EtagUse : std::uint8_t {
  kMd5,     // one that looks like the MD5 of the object is taken for it
  kOpaque,  // none is: this server's are something else
};

// The headers of a HEAD or a whole GET. kCorrupt without a size.
[[nodiscard]] Result<ObjectInfo> read_object_info(std::string key, const net::Headers& headers,
                                                  EtagUse etag = EtagUse::kMd5);

// Checksums of the whole object that the server states. The composite ones of multipart uploads (-N) are of something
// else. An ETag of 32 hexadecimal digits is the MD5 of the object unless it is encrypted with a key of the customer's
// or of KMS; it is taken only when the server states nothing better, because a few servers have other ETags that look
// so.
[[nodiscard]] std::vector<Checksum> read_checksums(const net::Headers& headers, EtagUse etag = EtagUse::kMd5);

// The head of an answer to a read: kConflict when it is of another object than the one asked for, kUnsupported when the
// server gave the whole object instead of a part, kCorrupt when the range is not the one asked for.
[[nodiscard]] Result<> check_read_head(const net::HttpHead& head, const RangeRequest& request);

}  // namespace slipway::objects
