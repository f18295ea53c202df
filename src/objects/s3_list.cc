#include "objects/s3_list.h"

#include <algorithm>

#include "base/number.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

constexpr std::uint32_t kMaxEmptyPages = 100;

}  // namespace

std::string ListCursor::to_string() const {
  return fmt::format("{}:{}:{}", empty_pages, percent_encode(last_key, Slash::kEncode), token);
}

std::optional<ListCursor> ListCursor::parse(std::string_view text) {
  if (text.empty()) return ListCursor{};
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  ListCursor out{.token = std::string(text.substr(second + 1))};
  const auto empty_pages = parse_number<decltype(out.empty_pages)>(text.substr(0, first));
  auto key = percent_decode(text.substr(first + 1, second - first - 1), Plus::kAsItIs);
  if (!empty_pages || !key) return std::nullopt;
  out.empty_pages = *empty_pages;
  out.last_key = std::move(*key);
  return out;
}

std::vector<std::pair<std::string, std::string>> list_query(const ListRequest& request, const ListCursor& cursor) {
  std::vector<std::pair<std::string, std::string>> query = {
      {"list-type", "2"},
      {"encoding-type", "url"},
      {"max-keys", std::to_string(std::clamp<std::uint32_t>(request.max_keys, 1, 1000))}};
  if (!request.prefix.empty()) query.emplace_back("prefix", request.prefix);
  if (!cursor.token.empty()) {
    query.emplace_back("continuation-token", cursor.token);
  } else if (!cursor.last_key.empty()) {
    query.emplace_back("start-after", cursor.last_key);
    query.emplace_back("marker", cursor.last_key);  // for servers that know version 1 only
  }
  return query;
}

Result<ObjectPage> make_page(ListAnswer answer, const ListRequest& request, const ListCursor& cursor) {
  std::ranges::sort(answer.objects, {}, &ObjectInfo::key);
  const auto same = std::ranges::unique(answer.objects, {}, &ObjectInfo::key);
  answer.objects.erase(same.begin(), same.end());
  if (!answer.objects.empty() && !cursor.last_key.empty() && answer.objects.front().key <= cursor.last_key) {
    return fail(ErrorKind::kCorrupt, "the server's list goes back: {} comes after {}",
                shown(answer.objects.front().key), shown(cursor.last_key));
  }

  ListCursor next{.token = answer.continuation_token, .last_key = cursor.last_key};
  if (!answer.objects.empty()) next.last_key = answer.objects.back().key;
  if (answer.objects.empty()) next.empty_pages = cursor.empty_pages + 1;
  next.last_key = std::max(next.last_key, answer.next_marker);
  if (answer.truncated) {
    const bool stands_still = next.token.empty() ? next.last_key == cursor.last_key : next.token == cursor.token;
    if (stands_still || next.empty_pages > kMaxEmptyPages) {
      return fail(ErrorKind::kCorrupt, "the server's list does not go on after {}", shown(cursor.last_key));
    }
  }

  ObjectPage page;
  if (answer.truncated) page.next = next.to_string();
  std::erase_if(answer.objects, [&](const ObjectInfo& object) {
    return !object.key.starts_with(request.prefix) || !check_key(object.key);
  });
  page.objects = std::move(answer.objects);
  return page;
}

}  // namespace slipway::objects
