// Items of JSON files. `Shape` says what is an item, and makes records of one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "feeds/formats/json_elements.h"
#include "feeds/formats/json_node.h"
#include "feeds/providers/items.h"

namespace slipway::feeds {

struct JsonItem {
  JsonElement::Kind kind = JsonElement::Kind::kItem;
  std::string_view name{};  // of its list, or of the member
  JsonNode root{};
  std::string_view file{};                 // that it is in
  const JsonElements* document = nullptr;  // for header()
};

// Wrong types need not be looked for: they are found when it is done.
using ReadJson = std::function<Result<std::vector<Record>>(const JsonItem&)>;

[[nodiscard]] std::unique_ptr<Items> json_items(std::string file, archive::ByteSource& bytes,
                                                JsonElements::Options shape, ReadJson read);

// The same of a file that is one YAML document (of at most 64 MiB), read as JSON.
[[nodiscard]] std::unique_ptr<Items> yaml_items(std::string file, archive::ByteSource& bytes,
                                                JsonElements::Options shape, ReadJson read);

}  // namespace slipway::feeds
