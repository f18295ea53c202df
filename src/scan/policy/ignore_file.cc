#include "scan/policy/ignore_file.h"

#include <algorithm>

#include "feeds/formats/feed_time.h"
#include "scan/letters.h"
#include "scan/text_file.h"

namespace slipway::scan {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kLongestLine = 4096;
constexpr std::string_view kForm = "write: ID [package=NAME] [until=YYYY-MM-DD] REASON";

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// How many bytes the character at the front has in UTF-8; 0 when it is none, or none that is printed.
std::size_t printable(std::string_view text) {
  const auto byte = [&](std::size_t at) -> unsigned {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return (first >= ' ' && first != 0x7f) || first == '\t' ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xc0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) ||
                     (first == 0xc2 && second < 0xa0);
  return wrong ? 0 : length;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const auto length = printable(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(kBlanks)); }

// The first word, taken off `text` with the blanks behind it.
std::string_view take_word(std::string_view& text) {
  const auto word = first_word(text);
  text = trimmed(text.substr(word.size()));
  return word;
}

bool could_be_option(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
}

// The name in front of an equals sign when it could be that of an option; empty when it could not.
std::string_view option_name(std::string_view word) {
  const auto name = word.substr(0, word.find('='));
  return name.size() < word.size() && could_be_option(name) ? name : std::string_view{};
}

bool is_option(std::string_view name) { return same_letters(name, "package") || same_letters(name, "until"); }

// One line of a file, read into a rule.
class Line {
 public:
  Line(std::string_view file, std::size_t number) : file_(file), number_(number) { rule_.line = number; }

  [[nodiscard]] Result<IgnoreRule> read(std::string_view text);

 private:
  template <class... Args>
  [[nodiscard]] std::unexpected<Error> wrong(std::string_view way_out, fmt::format_string<Args...> rule,
                                             Args&&... args) {
    const auto broken = fmt::format(rule, std::forward<Args>(args)...);
    return fail(
        Error(ErrorKind::kInvalid, fmt::format("{}:{}: {}", file_, number_, broken)).with_hint(std::string(way_out)));
  }
  [[nodiscard]] Result<> read_id(std::string_view word);
  [[nodiscard]] Result<> read_option(std::string_view name, std::string_view value);
  [[nodiscard]] Result<> read_options(std::string_view& text);
  // Refuses options that stand within it.
  [[nodiscard]] Result<> read_reason(std::string_view text);

  std::string_view file_;
  std::size_t number_;
  IgnoreRule rule_;
};

Result<> Line::read_id(std::string_view word) {
  if (!option_name(word).empty())
    return wrong(kForm, "a rule begins with the ID of a vulnerability, not with {}", word);
  const bool good = is_letter_or_digit(word.front()) && std::ranges::all_of(word, [](char c) {
                      return is_letter_or_digit(c) || c == '-' || c == ':' || c == '.' || c == '_';
                    });
  // At least one digit: a sentence without an ID would else be a rule for its first word.
  if (!good || !std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; })) {
    return wrong("take the ID from the report, as in CVE-2024-3094; begin a comment with #",
                 "{} is not the ID of a vulnerability", word);
  }
  rule_.id = word;
  return {};
}

Result<> Line::read_option(std::string_view name, std::string_view value) {
  if (name != "package" && name != "until") {
    return wrong("the options are package=NAME and until=YYYY-MM-DD; a reason begins with another word",
                 "the rule for {}: there is no option {}=", rule_.id, name);
  }
  if (value.empty()) return wrong(kForm, "the rule for {}: {}= has no value", rule_.id, name);
  if (name == "package") {
    if (!rule_.package.empty()) {
      return wrong("write a second rule for the other package", "the rule for {}: package= is given twice", rule_.id);
    }
    rule_.package = value;
    return {};
  }
  if (rule_.until) return wrong("keep one of them", "the rule for {}: until= is given twice", rule_.id);
  const auto day = value.size() == std::string_view("YYYY-MM-DD").size() ? feeds::parse_feed_time(value) : std::nullopt;
  if (!day) return wrong("write a date as in until=2025-06-30", "the rule for {}: {} is not a day", rule_.id, value);
  rule_.until = std::chrono::floor<std::chrono::days>(*day);
  return {};
}

Result<> Line::read_options(std::string_view& text) {
  while (!text.empty()) {
    const auto word = first_word(text);
    const auto rest = trimmed(text.substr(word.size()));
    if (could_be_option(word) && rest.starts_with('=')) {
      return wrong(kForm, "the rule for {}: {} is followed by a blank and an equals sign", rule_.id, word);
    }
    const auto name = option_name(word);
    if (name.empty()) return {};
    if (auto option = read_option(name, word.substr(name.size() + 1)); !option) return option;
    text = rest;
  }
  return {};
}

Result<> Line::read_reason(std::string_view text) {
  if (text.empty()) return wrong(kForm, "the rule for {} gives no reason", rule_.id);
  rule_.reason = text;
  while (!text.empty()) {
    const auto word = take_word(text);
    if (is_option(option_name(word)) || (is_option(word) && text.starts_with('='))) {
      return wrong(kForm, "the rule for {}: {} stands within the reason, where it limits nothing", rule_.id, word);
    }
  }
  return {};
}

Result<IgnoreRule> Line::read(std::string_view text) {
  if (text.size() > kLongestLine) return wrong("shorten the reason", "the line is longer than {} bytes", kLongestLine);
  if (!is_printable(text)) return wrong("save it as UTF-8 text", "the line is not printable UTF-8");
  if (auto id = read_id(take_word(text)); !id) return fail(id.error());
  if (auto options = read_options(text); !options) return fail(options.error());
  if (auto reason = read_reason(text); !reason) return fail(reason.error());
  return std::move(rule_);
}

}  // namespace

bool IgnoreRule::counts_at(TimePoint now) const {
  return !until || std::chrono::floor<std::chrono::days>(now) <= *until;
}

bool IgnoreRule::matches(const Finding& finding) const {
  if (!package.empty() && package != finding.package.name && package != finding.package.source) return false;
  return same_letters(finding.id, id) ||
         std::ranges::any_of(finding.aliases, [&](const std::string& alias) { return same_letters(alias, id); });
}

const IgnoreRule* IgnoreFile::rule_for(const Finding& finding, TimePoint now) const {
  const auto found =
      std::ranges::find_if(rules, [&](const IgnoreRule& rule) { return rule.matches(finding) && rule.counts_at(now); });
  return found == rules.end() ? nullptr : &*found;
}

std::vector<std::string> IgnoreFile::warnings(TimePoint now) const {
  std::vector<std::string> all;
  for (const IgnoreRule& rule : rules) {
    if (rule.counts_at(now)) continue;
    all.push_back(fmt::format("{}:{}: the rule for {} counted until {} and no longer does", name, rule.line, rule.id,
                              to_iso8601(TimePoint(*rule.until)).substr(0, 10)));
  }
  return all;
}

Result<IgnoreFile> parse_ignore_file(std::string_view text, std::string name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.size() > kMostIgnoreBytes) {
    return fail(ErrorKind::kInvalid, "{} is larger than {} bytes", name, kMostIgnoreBytes);
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  IgnoreFile file{.name = std::move(name)};
  for (std::size_t number = 1; !text.empty(); ++number) {
    if (number > kMostIgnoreLines) {
      return fail(ErrorKind::kInvalid, "{} has more than {} lines", file.name, kMostIgnoreLines);
    }
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    auto rule = Line(file.name, number).read(line);
    if (!rule) return fail(std::move(rule.error()));
    file.rules.push_back(std::move(*rule));
  }
  return file;
}

Result<IgnoreFile> load_ignore_file(const std::filesystem::path& file) {
  auto text = read_text_file(file, kMostIgnoreBytes);
  if (!text) return fail(std::move(text.error()));
  return parse_ignore_file(*text, file.string());
}

}  // namespace slipway::scan
