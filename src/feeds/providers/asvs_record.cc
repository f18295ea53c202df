#include "feeds/providers/asvs_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "feeds/formats/json_writer.h"
#include "feeds/providers/cwe_links.h"

namespace slipway::feeds {
namespace {

constexpr std::string_view kFirstNumbered = "5.0.0";
constexpr std::string_view kOldest = "4.0.3";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "5.0.0" in "ASVS_5.0.0_en.csv"; "" when there is none. Only numbers with dots between them are versions.
std::string_view version_in(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    auto found = text.substr(at, end - at);
    while (found.ends_with('.')) found.remove_suffix(1);
    if (found.find('.') != std::string_view::npos && found.size() <= 16) return found;
    at = end;
  }
  return {};
}

int major_of(std::string_view version) { return parse_number<int>(version.substr(0, version.find('.'))).value_or(0); }

// "14.1.2" of "V14.1.2"; "" when it is not `parts` numbers.
std::string_view plain_id(std::string_view code, int parts) {
  if (code.starts_with('V')) code.remove_prefix(1);
  int left = parts;
  bool digit = false;
  for (const char c : code) {
    if (c == '.' && !digit) return {};
    if (c == '.') --left;
    if (c != '.' && !is_digit(c)) return {};
    digit = c != '.';
  }
  return digit && left == 1 && code.size() <= 24 ? code : std::string_view();
}

std::vector<std::string_view> words_of(std::string_view text, std::string_view letters) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_of(letters); at != std::string_view::npos;) {
    const auto end = std::min(text.find_first_not_of(letters, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_of(letters, end);
  }
  return words;
}

// One of the standard, of whichever form.
struct Node {
  std::string_view code{};
  int depth = 1;  // chapter, section, requirement
  std::string_view title{};
  std::string_view text{};
  std::string_view parent{};
  std::int64_t level = 0;
  std::array<std::string_view, 3> marks{};
  std::vector<std::string> cwe{};
  std::vector<std::string> nist{};
};

std::string_view category_of(int depth) {
  constexpr std::array<std::string_view, 3> kNames{"chapter", "section", "requirement"};
  return kNames.at(static_cast<std::size_t>(depth - 1));
}

Result<std::string> id_of(std::string_view version, std::string_view code, int depth) {
  const auto plain = plain_id(code, depth);
  if (code.empty()) return fail(ErrorKind::kCorrupt, "a {} has no id", category_of(depth));
  if (plain.empty()) return fail(ErrorKind::kCorrupt, "\"{:.40}\" is no id of a {}", code, category_of(depth));
  if (major_of(version) >= major_of(kFirstNumbered)) return std::string(plain);
  return fmt::format("v{}-{}", version, plain);
}

std::string body_of(std::string_view version, const Node& node) {
  JsonWriter json;
  json.open('{').member("version", version).member("shortcode", node.code);
  // A mark may say more than that: "30 days", "Optional".
  const bool says_more =
      std::ranges::any_of(node.marks, [](std::string_view mark) { return !mark.empty() && mark != "\u2713"; });
  if (says_more) {
    json.name("levels").open('[');
    for (const auto mark : node.marks) json.value(mark);
    json.close(']');
  }
  json.close('}');
  return json.take();
}

Result<Record> record_of(std::string_view version, const Node& node) {
  const auto id = id_of(version, node.code, node.depth);
  if (!id) return fail(id.error());
  auto urn = Urn::make("owasp", "asvs", *id);
  if (!urn) return fail(ErrorKind::kCorrupt, "{:.40}: {}", *id, urn.error().message());
  LinkList links;
  if (node.depth > 1) {
    const auto parent = id_of(version, node.parent, node.depth - 1);
    if (!parent) return parent.error().during("{}", *id);
    links.add("part-of", "owasp", "asvs", *parent);
  }
  for (const auto& number : node.cwe) {
    const auto value = parse_number<int>(number);
    if (!value || *value < 0) return fail(ErrorKind::kCorrupt, "{}: \"{:.40}\" is no CWE number", *id, number);
    if (*value > 0) links.add("weakness", "mitre", "cwe", fmt::format("CWE-{}", *value));
  }
  for (const auto& section : node.nist) links.add("guideline", "nist", "guideline", section);
  Record record{
      .urn = std::move(*urn),
      .title = std::string(node.title),
      .description = std::string(node.text),
      .links = links.take(),
      .details =
          Asvs{.category = std::string(category_of(node.depth)), .level = node.level, .body = body_of(version, node)}};
  if (node.text.starts_with("[DELETED")) record.standing = Standing::kDeprecated;
  return record;
}

std::int64_t least_marked(const std::array<std::string_view, 3>& marks) {
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i].empty()) return static_cast<std::int64_t>(i + 1);
  }
  return 0;
}

// Nothing: 0, as there is none. kCorrupt: it is none of 1 to 3.
Result<std::int64_t> level_of(std::string_view text, std::string_view whose) {
  if (text.empty()) return 0;
  const auto level = parse_number<std::int64_t>(text);
  if (level && *level >= 1 && *level <= 3) return *level;
  return fail(ErrorKind::kCorrupt, "{}: \"{:.40}\" is no level: 1, 2 and 3 are", whose, text);
}

std::vector<std::string> texts_of(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }

// Of a requirement in the nested form.
Result<Node> requirement_of(const JsonNode& item, std::string_view section) {
  Node node{.code = item["Shortcode"].text(), .depth = 3, .text = item["Description"].text(), .parent = section};
  const std::array<std::string_view, 3> levels{"L1", "L2", "L3"};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto level = item[levels[i]];
    if (level["Required"].flag() && node.level == 0) node.level = static_cast<std::int64_t>(i + 1);
    node.marks[i] = level["Requirement"].text();
  }
  if (item["L"]) {
    const auto level = level_of(item["L"].text(), node.code);
    if (!level) return fail(level.error());
    node.level = *level;
  }
  for (const auto& one : item["CWE"].items()) {
    const auto number = one.number().value_or(0);
    node.cwe.push_back(number == std::floor(number) ? fmt::format("{:.0f}", number) : fmt::format("{}", number));
  }
  for (const auto& one : item["NIST"].items()) node.nist.emplace_back(one.text());
  return node;
}

}  // namespace

std::string asvs_version(std::string_view says, std::string_view file, bool numbered_levels) {
  if (!version_in(says).empty()) return std::string(version_in(says));
  const auto name = file.substr(file.rfind('/') + 1);
  const auto named = version_in(name);
  if (numbered_levels) return std::string(major_of(named) >= major_of(kFirstNumbered) ? named : kFirstNumbered);
  if (!named.empty()) return std::string(named);
  return std::string(name.find("legacy") != std::string_view::npos ? kFirstNumbered : kOldest);
}

Result<std::vector<Record>> AsvsReader::read_row(const AsvsRow& row) {
  std::array<Node, 3> nodes{
      Node{.code = row.chapter_id, .depth = 1, .title = row.chapter_name},
      Node{.code = row.section_id, .depth = 2, .title = row.section_name, .parent = row.chapter_id},
      Node{.code = row.id, .depth = 3, .text = row.text, .parent = row.section_id},
  };
  Node& requirement = nodes[2];
  std::ranges::copy(row.marks, requirement.marks.begin());
  const auto numbered = level_of(row.level, row.id);
  if (!numbered) return fail(numbered.error());
  requirement.level = *numbered != 0 ? *numbered : least_marked(requirement.marks);
  requirement.cwe = texts_of(words_of(row.cwe, "0123456789"));
  requirement.nist = texts_of(words_of(row.nist, "0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
  std::vector<Record> records;
  for (const auto& node : nodes) {
    auto record = record_of(version_, node);
    if (!record) return fail(std::move(record.error()));
    records.push_back(std::move(*record));
  }
  if (seen_.contains(records[2].urn.text())) {
    return fail(ErrorKind::kCorrupt, "{} is there a second time", records[2].urn.id());
  }
  std::erase_if(records, [this](const Record& record) { return !seen_.insert(record.urn.text()).second; });
  return records;
}

Result<std::vector<Record>> AsvsReader::read_flat(const JsonNode& row) {
  return read_row({.chapter_id = row["chapter_id"].text(),
                   .chapter_name = row["chapter_name"].text(),
                   .section_id = row["section_id"].text(),
                   .section_name = row["section_name"].text(),
                   .id = row["req_id"].text(),
                   .text = row["req_description"].text(),
                   .marks = {row["level1"].text(), row["level2"].text(), row["level3"].text()},
                   .level = row["L"].text(),
                   .cwe = row["cwe"].text(),
                   .nist = row["nist"].text()});
}

Result<std::vector<Record>> AsvsReader::read_chapter(const JsonNode& chapter) {
  std::vector<Record> records;
  const auto add = [&records, this](const Node& node) -> Result<> {
    auto record = record_of(version_, node);
    if (!record) return fail(std::move(record.error()));
    records.push_back(std::move(*record));
    return {};
  };
  const auto chapter_code = chapter["Shortcode"].text();
  if (auto added = add({.code = chapter_code, .depth = 1, .title = chapter["Name"].text()}); !added) {
    return fail(std::move(added.error()));
  }
  for (const auto& section : chapter["Items"].items()) {
    const auto code = section["Shortcode"].text();
    auto added = add({.code = code, .depth = 2, .title = section["Name"].text(), .parent = chapter_code});
    if (!added) return fail(std::move(added.error()));
    for (const auto& item : section["Items"].items()) {
      auto node = requirement_of(item, code);
      if (!node) return fail(std::move(node.error()));
      if (added = add(*node); !added) return fail(std::move(added.error()));
    }
  }
  return records;
}

}  // namespace slipway::feeds
