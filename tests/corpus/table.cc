#include "table.h"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace slipway::corpus {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "pass", "pass+finding:RULE…", "refused:RULE", "refused!RULE", "corrupt", "unsupported".
Expected parse_verdict(std::string_view text) {
  constexpr std::string_view kRefused = "refused";
  constexpr std::string_view kFinding = "finding:";
  if (text == "corrupt") return {.verdict = Verdict::kCorrupt};
  if (text == "unsupported") return {.verdict = Verdict::kUnsupported};
  if (text.starts_with(kRefused) && text.size() > kRefused.size() + 1) {
    const char mark = text[kRefused.size()];
    if (mark != ':' && mark != '!') throw std::runtime_error(fmt::format("\"{}\" is no verdict", text));
    return {.verdict = Verdict::kRefused,
            .rules = {std::string(text.substr(kRefused.size() + 1))},
            .has_way_out = mark == ':'};
  }
  const auto parts = split(text, '+');
  if (parts.front() != "pass") throw std::runtime_error(fmt::format("\"{}\" is no verdict", text));
  Expected expected{.verdict = Verdict::kPass};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!parts[i].starts_with(kFinding)) throw std::runtime_error(fmt::format("\"{}\" is no finding", parts[i]));
    expected.rules.push_back(parts[i].substr(kFinding.size()));
  }
  return expected;
}

std::map<std::string, std::string> parse_seen(const std::string& text) {
  std::map<std::string, std::string> seen;
  if (text == "-") return seen;
  for (const std::string& part : split(text, ' ')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) throw std::runtime_error(fmt::format("\"{}\" is no key=value", part));
    seen[part.substr(0, equals)] = part.substr(equals + 1);
  }
  return seen;
}

Row parse_row(const std::string& line) {
  const auto cells = split(line, '\t');
  if (cells.size() != 6) throw std::runtime_error(fmt::format("{} cells instead of 6", cells.size()));
  if (cells[5].empty()) throw std::runtime_error("no reason is given");
  return {.file = cells[0],
          .standard = parse_verdict(cells[1]),
          .strict = parse_verdict(cells[2]),
          .seen = parse_seen(cells[3]),
          .entry = cells[4] == "-" ? "" : cells[4],
          .reason = cells[5]};
}

}  // namespace

void PrintTo(const Row& row, std::ostream* out) { *out << row.file; }

std::vector<Row> read_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);  // the heading
  for (int number = 2; std::getline(file, line); ++number) {
    try {
      rows.push_back(parse_row(line));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  return rows;
}

}  // namespace slipway::corpus
