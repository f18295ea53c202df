#include "feeds/formats/json_elements.h"

#include <algorithm>
#include <array>
#include <utility>

namespace slipway::feeds {
namespace {

constexpr std::size_t kLargestHeader = 4096;
constexpr std::size_t kMostHeaders = 64;
constexpr std::size_t kLongestName = 4096;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// What matters within a nested value.
constexpr auto kMatters = [] {
  std::array<bool, 256> matters{};
  for (const char c : {'"', '{', '}', '[', ']'}) matters[static_cast<unsigned char>(c)] = true;
  return matters;
}();

}  // namespace

JsonElements::JsonElements(archive::ByteSource& from, Options options) : from_(from), options_(std::move(options)) {}

std::unexpected<Error> JsonElements::broken(std::string_view what) const {
  return fail(ErrorKind::kCorrupt, "the JSON is broken at byte {}: {}", base_ + at_, what);
}

void JsonElements::release() { keep_ = at_; }

Result<bool> JsonElements::fill() {
  if (ended_) return false;
  if (keep_ > 0) {
    buffer_.erase(0, keep_);
    base_ += keep_;
    at_ -= keep_;
    keep_ = 0;
  }
  if (buffer_.size() > options_.largest) {
    return fail(ErrorKind::kCorrupt, "the element at byte {} is larger than {} bytes", base_, options_.largest);
  }
  auto piece = from_.next();
  if (!piece) return fail(std::move(piece.error()));
  if (piece->empty()) {
    ended_ = true;
    return false;
  }
  buffer_.append(reinterpret_cast<const char*>(piece->data()), piece->size());
  return true;
}

Result<char> JsonElements::peek() {
  const bool nothing_is_kept = keep_ == at_;
  for (;;) {
    while (at_ < buffer_.size() && is_blank(buffer_[at_])) ++at_;
    if (nothing_is_kept) release();
    if (at_ < buffer_.size()) {
      if (buffer_[at_] == '\0') return broken("a zero byte");
      return buffer_[at_];
    }
    auto more = fill();
    if (!more) return fail(std::move(more.error()));
    if (!*more) return '\0';
  }
}

Result<> JsonElements::expect(char wanted, std::string_view where) {
  const auto found = peek();
  if (!found) return fail(found.error());
  if (*found == '\0') return broken("it ends early");
  if (*found != wanted) return broken(fmt::format("'{}' is expected {}", wanted, where));
  ++at_;
  return {};
}

Result<> JsonElements::pass_string() {
  ++at_;  // the quote
  for (;;) {
    while (at_ < buffer_.size() && buffer_[at_] != '"' && buffer_[at_] != '\\') ++at_;
    if (at_ < buffer_.size() && buffer_[at_] == '"') {
      ++at_;
      return {};
    }
    // A backslash needs the byte behind it.
    if (at_ + 1 < buffer_.size()) {
      at_ += 2;
      continue;
    }
    const auto more = fill();
    if (!more) return fail(more.error());
    if (!*more) return broken("it ends within a string");
  }
}

Result<> JsonElements::pass_nested() {
  brackets_.clear();
  for (;;) {
    while (at_ < buffer_.size() && !kMatters[static_cast<unsigned char>(buffer_[at_])]) ++at_;
    if (at_ == buffer_.size()) {
      const auto more = fill();
      if (!more) return fail(more.error());
      if (!*more) return broken("it ends early");
      continue;
    }
    const char c = buffer_[at_];
    if (c == '"') {
      if (auto passed = pass_string(); !passed) return passed;
      continue;
    }
    if (c == '{' || c == '[') {
      if (brackets_.size() == options_.deepest) return broken("it is nested too deeply");
      brackets_ += c;
      ++at_;
      continue;
    }
    if (brackets_.back() != (c == '}' ? '{' : '[')) return broken(fmt::format("'{}' closes what is not open", c));
    brackets_.pop_back();
    ++at_;
    if (brackets_.empty()) return {};
  }
}

Result<> JsonElements::pass_value() {
  const auto first = peek();
  if (!first) return fail(first.error());
  if (*first == '{' || *first == '[') return pass_nested();
  if (*first == '"') return pass_string();
  const std::size_t before = at_ - keep_;
  for (;;) {
    while (at_ < buffer_.size() && !is_blank(buffer_[at_]) &&
           std::string_view(",]}:\"[{").find(buffer_[at_]) == std::string_view::npos) {
      ++at_;
    }
    if (at_ < buffer_.size()) break;
    const auto more = fill();
    if (!more) return fail(more.error());
    if (!*more) break;
  }
  if (at_ - keep_ == before) return broken("a value is expected");
  return {};
}

Result<std::string> JsonElements::read_name() {
  const auto found = peek();
  if (!found) return fail(found.error());
  if (*found != '"') return broken(*found == '\0' ? "it ends early" : "a name in quotes is expected");
  const std::size_t begin = at_ - keep_;
  if (auto passed = pass_string(); !passed) return fail(std::move(passed.error()));
  std::string name = buffer_.substr(keep_ + begin + 1, at_ - keep_ - begin - 2);
  if (name.size() > kLongestName) return broken("a name is too long");
  return name;
}

bool JsonElements::is_list(std::string_view name) const {
  return std::ranges::find(options_.lists, name) != options_.lists.end();
}

Result<> JsonElements::open_document() {
  const auto first = peek();
  if (!first) return fail(first.error());
  if (*first == '\0') return fail(ErrorKind::kCorrupt, "it is empty, and not JSON");
  if (*first == kByteOrderMark.front() && base_ + at_ == 0) {
    for (const char c : kByteOrderMark) {
      if (auto marked = expect(c, "in a byte order mark"); !marked) return marked;
    }
    return open_document();
  }
  if (*first == '<') {
    return Error(ErrorKind::kCorrupt, "it is not JSON but begins with '<'")
        .with_hint("a web page was given instead of the data, perhaps by a proxy or for an address that has moved")
        .during("read it");
  }
  if (*first != '{' && *first != '[') return broken("it begins with neither '{' nor '['");
  top_is_list_ = *first == '[';
  had_list_ = top_is_list_;
  release();
  ++at_;
  place_ = top_is_list_ ? Place::kItems : Place::kMembers;
  return {};
}

Result<std::optional<JsonElement>> JsonElements::next() {
  if (place_ == Place::kBefore) {
    if (auto opened = open_document(); !opened) return fail(std::move(opened.error()));
  }
  if (place_ == Place::kItems) return next_item();
  if (place_ == Place::kMembers) return next_member();
  return std::nullopt;
}

Result<std::optional<JsonElement>> JsonElements::next_item() {
  release();
  auto found = peek();
  if (!found) return fail(std::move(found.error()));
  if (*found == ']') {
    ++at_;
    if (top_is_list_) return end_document();
    place_ = Place::kMembers;
    first_ = true;
    return next_member();
  }
  if (!first_) {
    if (auto comma = expect(',', "between two elements of a list"); !comma) return fail(std::move(comma.error()));
    release();
    if (found = peek(); !found) return fail(std::move(found.error()));
  }
  first_ = false;
  release();
  if (auto passed = pass_value(); !passed) return fail(std::move(passed.error()));
  return JsonElement{JsonElement::Kind::kItem, name_, std::string_view(buffer_).substr(keep_, at_ - keep_)};
}

// A loop over members that nobody wants; the whole text is kept as long as there was no list in it.
Result<std::optional<JsonElement>> JsonElements::next_member() {
  for (;;) {
    if (options_.members || had_list_) release();
    const auto found = peek();
    if (!found) return fail(found.error());
    if (*found == '}') {
      ++at_;
      return end_document();
    }
    if (!first_member_) {
      if (auto comma = expect(',', "between two members"); !comma) return fail(std::move(comma.error()));
    }
    first_member_ = false;
    auto name = read_name();
    if (!name) return fail(std::move(name.error()));
    name_ = std::move(*name);
    if (auto colon = expect(':', "behind a name"); !colon) return fail(std::move(colon.error()));
    const auto value = peek();
    if (!value) return fail(value.error());
    if (*value == '[' && is_list(name_)) {
      ++at_;
      had_list_ = true;
      first_ = true;
      place_ = Place::kItems;
      return next_item();
    }
    const std::size_t begin = at_ - keep_;
    if (auto passed = pass_value(); !passed) return fail(std::move(passed.error()));
    const auto text = std::string_view(buffer_).substr(keep_ + begin, at_ - keep_ - begin);
    if (options_.members) return JsonElement{JsonElement::Kind::kMember, name_, text};
    if (text.size() <= kLargestHeader && header_.size() < kMostHeaders) header_.emplace(name_, text);
  }
}

Result<std::optional<JsonElement>> JsonElements::end_document() {
  place_ = Place::kAfter;
  const std::size_t end = at_ - keep_;
  const auto behind = peek();
  if (!behind) return fail(behind.error());
  if (*behind != '\0') return broken("something follows the end of the document");
  if (had_list_ || options_.members) return std::nullopt;
  return JsonElement{JsonElement::Kind::kWhole, {}, std::string_view(buffer_).substr(keep_, end)};
}

std::string_view JsonElements::header(std::string_view name) const {
  const auto found = header_.find(name);
  return found == header_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace slipway::feeds
