#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "scan/inventory/distributions.h"
#include "scan/inventory/lines.h"

namespace slipway::scan {
namespace {

constexpr std::string_view kFirst = "etc/os-release";
constexpr std::string_view kSecond = "usr/lib/os-release";
constexpr LineLimits kLimits{.file = 1U << 20, .line = 64U << 10};

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether a backslash takes the meaning of this character: inside of double quotes of few, elsewhere of all.
constexpr bool is_escaped(char quote, char c) {
  return quote == '\0' || (quote == '"' && std::string_view("\"$`\\").find(c) != std::string_view::npos);
}

// A value as a shell would take it, without variables. Nothing when a quote stays open.
std::optional<std::string> unquoted(std::string_view text) {
  std::string value;
  char quote = '\0';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == '\0' && (c == ' ' || c == '\t')) {
      break;
    } else if (c == '\\' && at + 1 < text.size() && is_escaped(quote, text[at + 1])) {
      value += text[++at];
    } else {
      value += c;
    }
  }
  if (quote != '\0') return std::nullopt;
  return value;
}

// The values of the names that count here. What is wrong with one of these is noted.
class Assignments {
 public:
  explicit Assignments(Finds& finds) : finds_(finds) {}

  void take(std::string_view line) {
    line = trimmed(line);
    const std::size_t sign = line.find('=');
    if (line.starts_with('#') || sign == std::string_view::npos) return;
    const auto known = values_.find(line.substr(0, sign));
    if (known == values_.end()) return;
    if (auto value = unquoted(line.substr(sign + 1))) {
      known->second = std::move(*value);  // the last one counts, as in a shell
    } else {
      finds_.unread(fmt::format("a quote stays open in {}", known->first));
    }
  }
  const std::string& value(std::string_view name) const { return values_.find(name)->second; }
  // The same, where it is to be one word or nothing.
  std::string word(std::string_view name) const {
    const std::string& text = value(name);
    if (text.empty() || is_word(text)) return text;
    finds_.unread(fmt::format("{} is not one word", name));
    return {};
  }

 private:
  Finds& finds_;
  std::map<std::string, std::string, std::less<>> values_{
      {"ID", ""}, {"VERSION_ID", ""}, {"VERSION_CODENAME", ""}, {"PRETTY_NAME", ""}, {"NAME", ""}};
};

}  // namespace

bool wants_os_release(const FileInfo& file) { return file.path == kFirst || file.path == kSecond; }

Result<> read_os_release(const FileInfo& file, archive::ByteSource& content, Finds& finds) {
  Assignments assignments(finds);
  Lines lines(content, kLimits);
  for (;;) {
    const auto line = lines.next();
    if (!line) return fail(line.error());
    if (!*line) break;
    assignments.take(**line);
  }
  Distribution distribution{.id = assignments.word("ID"),
                            .version = assignments.word("VERSION_ID"),
                            .codename = assignments.word("VERSION_CODENAME"),
                            .name = plain_text(assignments.value("PRETTY_NAME"))};
  if (distribution.id.empty()) {
    finds.unread("it does not say which distribution this is: there is no ID");
    return {};
  }
  std::ranges::transform(distribution.id, distribution.id.begin(), lower);
  if (distribution.name.empty()) distribution.name = plain_text(assignments.value("NAME"));
  finds.set_distribution(std::move(distribution), file.path == kFirst ? 0 : 1);
  return {};
}

}  // namespace slipway::scan
