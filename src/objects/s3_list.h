// Paging through an S3 list: what to ask for, and what a page means. Pure.
//
// Servers differ in how a page says where the next one begins: version 2 has a token, version 1 a marker, and some say
// nothing but "truncated", where the last key is the marker. A cursor holds either, and the last key so far: a server
// that goes round in circles is noticed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "objects/object_source.h"
#include "objects/s3_xml.h"

namespace slipway::objects {

struct ListCursor {
  std::string token{};            // version 2; empty: go on after `last_key`
  std::string last_key{};         // empty: from the beginning
  std::uint32_t empty_pages = 0;  // in a row

  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] static std::optional<ListCursor> parse(std::string_view text);
};

[[nodiscard]] std::vector<std::pair<std::string, std::string>> list_query(const ListRequest& request,
                                                                          const ListCursor& cursor);

// Keys outside of the prefix and names that are no keys are left out. kCorrupt when the list does not go forward.
[[nodiscard]] Result<ObjectPage> make_page(ListAnswer answer, const ListRequest& request, const ListCursor& cursor);

}  // namespace slipway::objects
