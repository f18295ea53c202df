// Reads a small JSON document (one record of a feed) without a branch for each thing that may be wrong with it.
//
//   JsonDocument document;
//   auto root = document.parse(text);                                 kCorrupt: it is no JSON
//   const auto id = (*root)["cve"]["id"].text();                      "" where it is not there
//   for (const auto one : (*root)["references"].items()) ...          none where it is not there
//   if (auto fault = document.fault()) return fail(*fault);           something had the wrong type
//
// What is absent or null is empty; what is there with another type than it is read as is empty too, and a fault of the
// document: the record is bad. Nodes and texts live until the next parse() or the document's end. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/error.h"

namespace slipway::feeds {

class JsonDocument;

class JsonNode {
 public:
  JsonNode() = default;

  // Of an object.
  [[nodiscard]] JsonNode operator[](std::string_view name) const;

  [[nodiscard]] explicit operator bool() const { return present_; }  // there, and not null
  [[nodiscard]] bool is_text() const { return present_ && element_.is_string(); }
  [[nodiscard]] bool is_list() const { return present_ && element_.is_array(); }
  [[nodiscard]] bool is_object() const { return present_ && element_.is_object(); }
  [[nodiscard]] bool is_number() const { return present_ && element_.is_number(); }

  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] std::optional<double> number() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] std::string raw() const;  // its JSON, without blanks; "null" when absent

  [[nodiscard]] std::vector<JsonNode> items() const;
  [[nodiscard]] std::vector<std::pair<std::string_view, JsonNode>> members() const;

 private:
  friend class JsonDocument;
  JsonNode(simdjson::dom::element element, std::string_view name, JsonDocument* document)
      : element_(element), name_(name), document_(document), present_(!element.is_null()) {}
  void wrong(std::string_view wanted) const;

  simdjson::dom::element element_{};
  std::string_view name_{};  // of the member that it is, or is in
  JsonDocument* document_ = nullptr;
  bool present_ = false;
};

class JsonDocument {
 public:
  JsonDocument() = default;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  [[nodiscard]] Result<JsonNode> parse(std::string_view text);
  // The first of what was read with another type than it has, since parse().
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  friend class JsonNode;

  simdjson::dom::parser parser_;
  std::optional<Error> fault_;
};

}  // namespace slipway::feeds
