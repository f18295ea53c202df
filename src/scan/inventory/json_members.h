// JSON files of languages: small ones as a whole, lock files member by member, so that memory stays near to the size of
// the file. (Parsed as a whole it would be fifteen times that.)
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "archive/byte_source.h"
#include "base/error.h"
#include "feeds/formats/json_node.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

// `document` must outlive what is made of the node.
[[nodiscard]] Result<feeds::JsonNode> read_json(archive::ByteSource& content, feeds::JsonDocument& document);

// Members of the file's object, in their order, unparsed. An error from `see` ends it. kRejected: the file is larger
// than kLargestLockFile.
using SeeText = std::function<Result<>(std::string_view name, std::string_view json)>;
[[nodiscard]] Result<> each_member(archive::ByteSource& content, const SeeText& see);
[[nodiscard]] Result<> each_member(std::string_view json, const SeeText& see);  // the same of a text of any size

// Members of the object `json`, parsed. One of which a field is read as another type than it has is noted as unread.
using SeeNode = std::function<void(std::string_view name, const feeds::JsonNode& node)>;
[[nodiscard]] Result<> each_parsed_member(std::string_view json, Finds& finds, const SeeNode& see);

// Elements of the lists `lists` of the file's object, or of the list that the file is. `see` gets the list's name.
// kCorrupt: it has none of them.
[[nodiscard]] Result<> each_parsed_item(archive::ByteSource& content, const std::vector<std::string>& lists,
                                        Finds& finds, const SeeNode& see);

// A licence as npm and composer state it: a text, an object with a type, or a list of these ("MIT OR Apache-2.0").
// Anything else is none.
[[nodiscard]] std::string licence_of(const feeds::JsonNode& stated);

}  // namespace slipway::scan
