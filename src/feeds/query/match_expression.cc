#include "feeds/query/match_expression.h"

#include <algorithm>
#include <vector>

namespace slipway::feeds {
namespace {

constexpr std::size_t kMostWords = 64;

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }

// Beyond ASCII it may be a letter or not: FTS5 drops what turns out to be none.
bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool has_words(std::string_view text) { return std::ranges::any_of(text, is_word_byte); }

// A string of FTS5: between double quotes everything is text, but a NUL would end it all.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += is_blank(c) ? ' ' : c;
  }
  return out += '"';
}

struct Word {
  std::string_view text;
  bool phrase = false;
};

// A quotation mark that is never closed reaches to the end.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  while (!text.empty()) {
    if (is_blank(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    const bool phrase = text.front() == '"';
    if (phrase) text.remove_prefix(1);
    const auto ends = [phrase](char c) { return c == '"' || (!phrase && is_blank(c)); };
    const auto length = static_cast<std::size_t>(std::ranges::find_if(text, ends) - text.begin());
    words.push_back({text.substr(0, length), phrase});
    text.remove_prefix(length);
    if (phrase && !text.empty()) text.remove_prefix(1);
  }
  return words;
}

}  // namespace

Result<std::string> match_expression(std::string_view text) {
  std::string expression;
  std::size_t count = 0;
  for (const auto& [word, phrase] : words_of(text)) {
    if (!has_words(word)) continue;
    if (++count > kMostWords) {
      return fail(ErrorKind::kInvalid, "a search of more than {} words: fewer find more", kMostWords);
    }
    if (!expression.empty()) expression += ' ';
    expression += quoted(word);
    if (!phrase && word.ends_with('*')) expression += '*';
  }
  if (expression.empty()) {
    return fail(ErrorKind::kInvalid, "\"{}\" has no words to search for: letters or digits are needed",
                text.substr(0, 100));
  }
  return expression;
}

std::optional<std::string> name_phrase(std::string_view text) {
  if (!has_words(text)) return std::nullopt;
  return "name : " + quoted(text);
}

}  // namespace slipway::feeds
