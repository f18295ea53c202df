#include "scan/inventory/toml_tables.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <toml++/toml.h>

#include "archive/entry.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

// The parser's own tables are taken down recursively, one level for each bracket and each dot of a key: as many as it
// would take (a.a.a.a... = 1) would overflow the stack.
constexpr int kDeepest = 32;
constexpr int kMostDots = 16;
constexpr std::size_t kLargestTable = 1UL << 20;

struct Piece {
  std::string_view list{};  // "package" for what begins with [[package]]
  std::string_view text{};
  std::size_t line = 1;
  bool head = false;  // before the first table
};

// Cuts a text before each [[list]] and before each [table] that is not within the list under way. Knows as much of TOML
// as it takes to tell strings and comments from the rest.
class TomlCutter {
 public:
  explicit TomlCutter(std::string_view text) : text_(text) {}

  // None at the end.
  Result<std::optional<Piece>> next() {
    if (done_) return std::nullopt;
    while (at_ < text_.size()) {
      if (line_begins_ && depth_ == 0 && text_[at_] == '[') {
        const auto table = table_that_begins();
        line_begins_ = false;
        if (table && at_ == begin_) piece_ = *table;
        if (table && at_ != begin_) return cut(*table);
      }
      if (auto passed = pass_token(); !passed) return fail(std::move(passed.error()));
    }
    done_ = true;
    return cut({});
  }

 private:
  [[nodiscard]] std::optional<Piece> table_that_begins() const {
    const auto rest = text_.substr(at_, text_.find('\n', at_) - at_);
    const bool is_list = rest.starts_with("[[");
    const std::size_t begin = is_list ? 2 : 1;
    const std::size_t end = rest.find_first_of(".]", begin);
    if (end == std::string_view::npos) return std::nullopt;
    const auto name = trimmed(rest.substr(begin, end - begin));
    const bool is_top_list = is_list && rest[end] == ']';
    if (!is_top_list && name == piece_.list) return std::nullopt;
    return Piece{.list = is_top_list ? name : std::string_view(), .line = line_};
  }

  Piece cut(Piece next) {
    Piece ended = std::exchange(piece_, next);
    ended.text = text_.substr(begin_, at_ - begin_);
    begin_ = at_;
    return ended;
  }

  Result<> pass_token() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      pass_string(c);
      return {};
    }
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return {};
    }
    ++at_;
    if (c == '\n') ++line_;
    line_begins_ = c == '\n' || (line_begins_ && (c == ' ' || c == '\t'));
    if (c == '.') ++dots_;
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') dots_ = 0;
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (depth_ <= kDeepest && dots_ <= kMostDots) return {};
    return fail(ErrorKind::kCorrupt, "it is nested too deeply at line {}", line_);
  }

  void pass_string(char quote) {
    const std::string ends(text_.substr(at_, 3) == std::string(3, quote) ? 3 : 1, quote);
    at_ += ends.size();
    while (at_ < text_.size()) {
      if (text_.substr(at_, ends.size()) == ends) {
        at_ += ends.size();
        return;
      }
      if (text_[at_] == '\n' && ends.size() == 1) return;  // broken: the parser says so
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size()) ++at_;
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  std::string_view text_;
  Piece piece_{.head = true};  // under way
  std::size_t begin_ = 0;      // of it
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  int depth_ = 0;
  int dots_ = 0;
  bool line_begins_ = true;
  bool done_ = false;
};

Result<std::string> toml_to_json(const Piece& piece) {
  if (piece.text.size() > kLargestTable) {
    return fail(ErrorKind::kRejected, "the table at line {} has more than {} bytes", piece.line, kLargestTable);
  }
  try {
    const toml::table table = toml::parse(piece.text);
    std::ostringstream json;
    json << toml::json_formatter(table);
    return std::move(json).str();
  } catch (const toml::parse_error& e) {
    return fail(ErrorKind::kCorrupt, "it is not valid TOML: {} at line {}", archive::printable(e.description()),
                piece.line + e.source().begin.line - 1);
  } catch (const std::exception& e) {
    return fail(ErrorKind::kCorrupt, "it is not valid TOML: {}", e.what());
  }
}

Result<> show(const Piece& piece, std::string_view list, feeds::JsonDocument& document, Finds& finds,
              const SeeTable& see) {
  const auto json = toml_to_json(piece);
  if (!json) return fail(json.error());
  const auto root = document.parse(*json);
  if (!root) return fail(root.error());
  if (piece.head) see(*root, /*in_list=*/false);
  for (const auto& table : (*root)[list].items()) see(table, /*in_list=*/true);
  if (const auto& fault = document.fault()) note_unread(finds, fmt::format("line {}", piece.line), fault->message());
  return {};
}

}  // namespace

Result<> each_toml_table(archive::ByteSource& content, std::string_view list, Finds& finds, const SeeTable& see) {
  const auto whole = read_whole(content, kLargestLockFile);
  if (!whole) return fail(whole.error());
  TomlCutter cutter(without_mark(*whole));
  feeds::JsonDocument document;
  for (;;) {
    const auto piece = cutter.next();
    if (!piece) return fail(piece.error());
    if (!*piece) return {};
    if (!(*piece)->head && (*piece)->list != list) continue;
    if (auto shown = show(**piece, list, document, finds, see); !shown) return shown;
  }
}

}  // namespace slipway::scan
