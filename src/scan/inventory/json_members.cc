#include "scan/inventory/json_members.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "feeds/formats/json_elements.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

using feeds::JsonElement;
using feeds::JsonNode;

constexpr std::size_t kLargestElement = 2UL << 20;

// A text in pieces: a reader that keeps its input keeps little of it.
class ViewSource : public archive::ByteSource {
 public:
  explicit ViewSource(std::string_view text) : rest_(text) {}
  Result<std::span<const std::byte>> next() override {
    constexpr std::size_t kPiece = 16UL << 10;
    const auto piece = rest_.substr(0, kPiece);
    rest_.remove_prefix(piece.size());
    return std::as_bytes(std::span(piece));
  }

 private:
  std::string_view rest_;
};

Result<> each_member_of(archive::ByteSource& content, std::size_t largest, const SeeText& see) {
  feeds::JsonElements elements(content, {.members = true, .largest = largest});
  for (;;) {
    const auto element = elements.next();
    if (!element) return fail(readable(element.error()));
    if (!*element) return {};
    if ((*element)->kind != JsonElement::Kind::kMember) return fail(ErrorKind::kCorrupt, "it must be an object");
    if (auto seen = see((*element)->name, (*element)->text); !seen) return seen;
  }
}

// Parses single elements, each with its name, so that escapes in names are undone and their bytes are checked.
class ElementParser {
 public:
  explicit ElementParser(Finds& finds) : finds_(finds) {}

  Result<> parse(std::string_view name, std::string_view json, const SeeNode& see) {
    if (json.size() > kLargestElement) {
      return fail(ErrorKind::kRejected, "an element of it has more than {} bytes", kLargestElement);
    }
    text_ = fmt::format(R"({{"{}":{}}})", name, json);
    const auto root = document_.parse(text_);
    if (!root) return fail(root.error());
    for (const auto& [decoded, node] : root->members()) {
      see(decoded, node);
      if (const auto& fault = document_.fault()) note_unread(finds_, decoded, fault->message());
    }
    return {};
  }

 private:
  Finds& finds_;
  feeds::JsonDocument document_;
  std::string text_;
};

std::string licence_word(const JsonNode& stated) {
  const JsonNode word = stated.is_object() ? stated["type"] : stated;
  return word.is_text() ? std::string(word.text()) : std::string();
}

}  // namespace

Result<JsonNode> read_json(archive::ByteSource& content, feeds::JsonDocument& document) {
  const auto text = read_whole(content, kLargestManifest);
  if (!text) return fail(text.error());
  return document.parse(without_mark(*text));
}

Result<> each_member(archive::ByteSource& content, const SeeText& see) {
  archive::TapSource limited(content, at_most(kLargestLockFile));
  return each_member_of(limited, 2 * kLargestLockFile, see);
}

Result<> each_member(std::string_view json, const SeeText& see) {
  ViewSource source(json);
  return each_member_of(source, std::max<std::size_t>(json.size(), 1), see);
}

Result<> each_parsed_member(std::string_view json, Finds& finds, const SeeNode& see) {
  ElementParser parser(finds);
  return each_member(json, [&](std::string_view name, std::string_view text) { return parser.parse(name, text, see); });
}

Result<> each_parsed_item(archive::ByteSource& content, const std::vector<std::string>& lists, Finds& finds,
                          const SeeNode& see) {
  archive::TapSource limited(content, at_most(kLargestLockFile));
  feeds::JsonElements elements(limited, {.lists = lists, .largest = 2 * kLargestLockFile});
  ElementParser parser(finds);
  for (;;) {
    const auto element = elements.next();
    if (!element) return fail(readable(element.error()));
    if (!*element) return {};
    if ((*element)->kind != JsonElement::Kind::kItem) {
      return fail(ErrorKind::kCorrupt, "it has no list \"{}\"", lists.front());
    }
    if (auto seen = parser.parse((*element)->name, (*element)->text, see); !seen) return seen;
  }
}

std::string licence_of(const JsonNode& stated) {
  if (!stated.is_list()) return licence_word(stated);
  std::string all;
  for (const auto& one : stated.items()) {
    const std::string word = licence_word(one);
    if (!word.empty()) all += (all.empty() ? "" : " OR ") + word;
  }
  return all;
}

}  // namespace slipway::scan
