#include "feeds/providers/nvd_api.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "base/digest.h"
#include "base/number.h"
#include "feeds/formats/json_elements.h"
#include "feeds/formats/json_node.h"
#include "feeds/providers/cve_record.h"
#include "feeds/providers/nvd_question.h"
#include "net/http_url.h"
#include "objects/s3_answer.h"

namespace slipway::feeds {
namespace {

using std::chrono::seconds;

constexpr std::size_t kPage = 2000;
constexpr std::size_t kLargestPage = std::size_t{64} << 20;
constexpr Duration kCounted = seconds(30);
constexpr std::size_t kMostWithKey = 50;  // in that time
constexpr std::size_t kMostWithout = 5;
constexpr Duration kPatience = seconds(30);
constexpr Duration kMostPatience = std::chrono::hours(6);
constexpr int kMostRefusals = 10;

class TextSource : public archive::ByteSource {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}
  Result<std::span<const std::byte>> next() override { return std::as_bytes(std::span(std::exchange(text_, {}))); }

 private:
  std::string_view text_;
};

}  // namespace

bool is_nvd_api(std::string_view place) {
  return place.starts_with("http") && place.find("/rest/json/cves/2.0") != std::string_view::npos;
}

// One run.
class NvdSync {
 public:
  NvdSync(NvdApi& api, Intake& intake, NvdQuestion question)
      : api_(api), intake_(intake), question_(std::move(question)) {}

  Result<> run(const std::string& position) {
    std::size_t window = 0;
    std::size_t index = 0;
    if (!position.empty() && !parse_position(position, window, index)) {
      return fail(ErrorKind::kInternal, "\"{}\" is no position in NVD's answers", position);
    }
    for (; window < question_.windows().size(); ++window) {
      if (auto read = read_window(window, index); !read) return read;
      index = 0;
    }
    return {};
  }

 private:
  static bool parse_position(std::string_view text, std::size_t& window, std::size_t& index) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const auto first = parse_number<std::size_t>(text.substr(0, slash));
    const auto second = parse_number<std::size_t>(text.substr(slash + 1));
    if (!first || !second) return false;
    window = *first;
    index = *second;
    return true;
  }

  // From `index` on, page by page.
  Result<> read_window(std::size_t window, std::size_t index) {
    std::optional<std::size_t> total;
    for (;;) {
      auto page = ask(question_.query(window, index, kPage));
      if (!page) return fail(std::move(page.error()));
      std::size_t read = 0;
      auto now_total = store(*page, window, index, read);
      if (!now_total) return fail(std::move(now_total.error()));
      const bool shrunk = total && *now_total < *total;
      if (shrunk) {  // what stood where this page begins may have moved up: from so far before it, all is read again
        const auto back = std::min(index, *total - *now_total);
        intake_.log().warn("{}: the total fell from {} to {}; it is read on from {}", intake_.config().id, *total,
                           *now_total, index - back);
        index -= back;
      } else {
        index += read;
      }
      total = *now_total;
      if (index >= *total) return {};
      if (read == 0 && !shrunk) {
        return fail(ErrorKind::kUnavailable, "NVD says that there are {} CVEs, but gives none from {} on", *total,
                    index);
      }
    }
  }

  // All items of a page. The total that it states.
  Result<std::size_t> store(const std::string& page, std::size_t window, std::size_t index, std::size_t& read) {
    TextSource bytes(page);
    JsonElements elements(bytes, {.lists = {"vulnerabilities"}});
    for (;;) {
      auto element = elements.next();
      if (!element) return element.error().during("read the page at {}", index);
      if (!*element) break;
      if ((*element)->kind == JsonElement::Kind::kWhole) {
        return fail(ErrorKind::kCorrupt, "the answer has no list \"vulnerabilities\": it is none of NVD's API 2.0");
      }
      ++read;
      if (auto taken = take((*element)->text, fmt::format("{}/{}", window, index + read)); !taken) {
        return fail(std::move(taken.error()));
      }
    }
    const auto total = parse_number<std::size_t>(elements.header("totalResults"));
    if (!total) return fail(ErrorKind::kCorrupt, "the answer does not state its totalResults");
    return *total;
  }

  Result<> take(std::string_view text, const std::string& position) {
    auto root = document_.parse(text);
    if (!root) return intake_.put_bad("a CVE at " + position, root.error(), position);
    auto record = read_cve(*root);
    if (record && document_.fault()) record = fail(*document_.fault());
    if (record) return intake_.put(std::move(*record), position);
    const auto id = (*root)["cve"]["id"].text();
    return intake_.put_bad(id.empty() ? "a CVE at " + position : std::string(id), record.error(), position);
  }

  // The first place that answers; when none does, what the last one said.
  Result<std::string> ask(const std::string& query) {
    Result<std::string> answer = fail(ErrorKind::kInvalid, "there is no address to ask");
    for (const auto& place : intake_.config().parts.front().places) {
      answer = ask_at(fmt::format("{}{}{}", place, place.find('?') == std::string::npos ? '?' : '&', query));
      if (answer || answer.error().kind() == ErrorKind::kCancelled || intake_.patience_until()) return answer;
    }
    return answer;
  }

  Result<std::string> ask_at(const std::string& url) {
    if (auto waited = wait_for_turn(); !waited) return fail(std::move(waited.error()));
    net::HttpRequest request{.url = url};
    if (!intake_.config().api_key.empty()) request.headers.add("apiKey", intake_.config().api_key);
    auto answer = api_.client_.fetch(std::move(request), {.max_body = kLargestPage}, intake_.stop());
    if (!answer) return fail(std::move(answer.error()));
    if (answer->status == 200) {
      api_.refusals_ = 0;
      return std::move(answer->body);
    }
    return refused(url, *answer);
  }

  // NVD answers 403, 404 and 503 when it wants to be left alone for a while, and when something is wrong.
  Result<std::string> refused(const std::string& url, const net::HttpAnswer& answer) {
    const auto said = answer.headers.get("message").value_or("");
    const auto message =
        fmt::format("{} answered {}{}{}", net::printable_url(url), answer.status, said.empty() ? "" : ": ", said);
    if (said.find("apiKey") != std::string::npos) {
      return fail(Error(ErrorKind::kPermission, message).with_hint("check feed_cve_api_key"));
    }
    const auto wait = objects::retry_after(answer.headers, intake_.clock().now());
    if (answer.status == 429) return fail(patience(wait, message));
    const bool perhaps = answer.status == 403 || answer.status == 404 || answer.status == 503;
    if (perhaps && ++api_.refusals_ < kMostRefusals) return fail(patience(wait, message));
    return fail(answer.status >= 500 ? ErrorKind::kUnavailable : ErrorKind::kPermission, "{}", message);
  }

  Error patience(std::optional<Duration> wait, const std::string& message) {
    return intake_.rate_limited(std::clamp(wait.value_or(kPatience), Duration(0), kMostPatience), message);
  }

  // Never more requests in 30 seconds than NVD allows.
  Result<> wait_for_turn() {
    const std::size_t most = intake_.config().api_key.empty() ? kMostWithout : kMostWithKey;
    for (;;) {
      const auto now = intake_.clock().now();
      while (!api_.asked_.empty() && api_.asked_.front() + kCounted <= now) api_.asked_.pop_front();
      if (api_.asked_.size() < most) {
        api_.asked_.push_back(now);
        return {};
      }
      intake_.sleep_until(api_.asked_.front() + kCounted);
      if (intake_.stop().stop_requested()) return fail(ErrorKind::kCancelled, "it is to stop");
    }
  }

  NvdApi& api_;
  Intake& intake_;
  NvdQuestion question_;
  JsonDocument document_;
};

Result<> NvdApi::run(Intake& intake) {
  std::string places;
  for (const auto& part : intake.config().parts) places += fmt::format("{}\n", fmt::join(part.places, "|"));
  const auto source = sha256_hex(places).substr(0, 8);
  auto question = NvdQuestion::parse(intake.unfinished_tag(), source);
  if (!question) question = NvdQuestion::after(intake.completed_tag(), source, intake.clock().now());
  const auto begin = intake.begin({.tag = question->tag(), .whole = false, .repeats_are_normal = true});
  if (!begin) return fail(begin.error());
  if (begin->unchanged) return {};
  return NvdSync(*this, intake, std::move(*question)).run(begin->position);
}

}  // namespace slipway::feeds
