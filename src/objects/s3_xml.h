// The two kinds of XML that S3 servers answer with: a page of a list, and an error. What comes is not trusted: no
// document type, no entities beyond XML's own five, bounded depth, text and number of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "objects/object_source.h"

namespace slipway::objects {

// Keys are decoded where the server says that it encoded them.
struct ListAnswer {
  std::vector<ObjectInfo> objects{};
  bool truncated = false;
  std::string continuation_token{};  // version 2
  std::string next_marker{};         // version 1, and only of servers that send it
};

struct ErrorAnswer {
  friend bool operator==(const ErrorAnswer&, const ErrorAnswer&) = default;

  std::string code{};
  std::string message{};
  std::string region{};    // where the bucket is, when that is the trouble
  std::string endpoint{};  // where to ask instead
};

// kCorrupt when it is no well-formed ListBucketResult.
[[nodiscard]] Result<ListAnswer> parse_list_answer(std::string_view xml);

// Nothing when it is no well-formed Error; the status of the answer must do then.
[[nodiscard]] std::optional<ErrorAnswer> parse_error_answer(std::string_view xml);

// An ETag without its quotes. A weak one keeps its form (W/"…"): it is good for comparing, not for If-Match.
[[nodiscard]] std::string bare_etag(std::string_view text);

}  // namespace slipway::objects
