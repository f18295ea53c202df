#include "feeds/urn.h"

#include <algorithm>

namespace slipway::feeds {
namespace {

constexpr std::string_view kScheme = "v2e";
constexpr std::string_view kBetween = "::";

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 32 &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

bool is_forbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f;
}

}  // namespace

Result<Urn> Urn::make(std::string_view publisher, std::string_view kind, std::string_view id) {
  for (const auto word : {publisher, kind}) {
    if (!is_word(word)) {
      return fail(ErrorKind::kInvalid, "\"{}\" in a URN: publisher and kind are lower-case words of up to 32 letters",
                  word);
    }
  }
  if (id.empty()) return fail(ErrorKind::kInvalid, "a URN of {} {} without an id", publisher, kind);
  if (id.size() > kLongestId) {
    return fail(ErrorKind::kInvalid, "an id of {} bytes ({}...): {} is the most", id.size(), id.substr(0, 40),
                kLongestId);
  }
  if (std::ranges::any_of(id, is_forbidden)) {
    return fail(ErrorKind::kInvalid, "an id of {} {} has spaces or control characters in it", publisher, kind);
  }
  Urn urn;
  urn.text_ = fmt::format("{0}{1}{2}{1}{3}{1}{4}", kScheme, kBetween, publisher, kind, id);
  urn.kind_at_ = kScheme.size() + publisher.size() + 2 * kBetween.size();
  urn.id_at_ = urn.kind_at_ + kind.size() + kBetween.size();
  return urn;
}

Result<Urn> Urn::parse(std::string_view text) {
  std::string_view rest = text;
  const auto take = [&rest]() -> std::string_view {
    const auto end = rest.find(kBetween);
    if (end == std::string_view::npos) return {};
    const auto word = rest.substr(0, end);
    rest.remove_prefix(end + kBetween.size());
    return word;
  };
  const auto scheme = take();
  const auto publisher = take();
  const auto kind = take();
  if (scheme != kScheme || kind.empty()) {
    return fail(ErrorKind::kInvalid, "\"{}\" is no URN: {}::PUBLISHER::KIND::ID is one", text.substr(0, 100), kScheme);
  }
  return make(publisher, kind, rest);
}

std::string_view Urn::publisher() const {
  if (empty()) return {};
  const auto begin = kScheme.size() + kBetween.size();
  return std::string_view(text_).substr(begin, kind_at_ - kBetween.size() - begin);
}

std::string_view Urn::kind() const {
  if (empty()) return {};
  return std::string_view(text_).substr(kind_at_, id_at_ - kBetween.size() - kind_at_);
}

std::string_view Urn::id() const { return std::string_view(text_).substr(id_at_); }

}  // namespace slipway::feeds
