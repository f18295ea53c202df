#include "feeds/formats/json_node.h"

namespace slipway::feeds {

void JsonNode::wrong(std::string_view wanted) const {
  if (document_->fault_) return;
  document_->fault_ = Error(ErrorKind::kCorrupt, name_.empty() ? fmt::format("it must be {}", wanted)
                                                               : fmt::format("\"{}\" must be {}", name_, wanted));
}

JsonNode JsonNode::operator[](std::string_view name) const {
  if (!present_) return {};
  simdjson::dom::object object;
  if (element_.get(object) != simdjson::SUCCESS) {
    wrong("an object");
    return {};
  }
  simdjson::dom::element found;
  if (object.at_key(name).get(found) != simdjson::SUCCESS) return {};
  return {found, name, document_};
}

std::string_view JsonNode::text() const {
  if (!present_) return {};
  std::string_view value;
  if (element_.get(value) != simdjson::SUCCESS) wrong("a text");
  return value;
}

std::optional<double> JsonNode::number() const {
  if (!present_) return std::nullopt;
  double value = 0;
  if (element_.get(value) == simdjson::SUCCESS) return value;
  wrong("a number");
  return std::nullopt;
}

bool JsonNode::flag() const {
  if (!present_) return false;
  bool value = false;
  if (element_.get(value) != simdjson::SUCCESS) wrong("true or false");
  return value;
}

std::string JsonNode::raw() const { return present_ ? simdjson::minify(element_) : "null"; }

std::vector<JsonNode> JsonNode::items() const {
  std::vector<JsonNode> found;
  if (!present_) return found;
  simdjson::dom::array array;
  if (element_.get(array) != simdjson::SUCCESS) {
    wrong("a list");
    return found;
  }
  for (const auto one : array) found.push_back(JsonNode(one, name_, document_));
  return found;
}

std::vector<std::pair<std::string_view, JsonNode>> JsonNode::members() const {
  std::vector<std::pair<std::string_view, JsonNode>> found;
  if (!present_) return found;
  simdjson::dom::object object;
  if (element_.get(object) != simdjson::SUCCESS) {
    wrong("an object");
    return found;
  }
  for (const auto member : object) found.emplace_back(member.key, JsonNode(member.value, member.key, document_));
  return found;
}

Result<JsonNode> JsonDocument::parse(std::string_view text) {
  fault_.reset();
  simdjson::dom::element root;
  const auto failed = parser_.parse(text.data(), text.size()).get(root);
  if (failed != simdjson::SUCCESS) {
    return fail(ErrorKind::kCorrupt, "it is not valid JSON: {}", simdjson::error_message(failed));
  }
  return JsonNode(root, {}, this);
}

}  // namespace slipway::feeds
