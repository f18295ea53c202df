#include "feeds/providers/cce_record.h"

#include <algorithm>
#include <array>

namespace slipway::feeds {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Words with one space between them; small letters when it is to be compared.
std::string words_of(std::string_view text, bool small) {
  std::string words;
  for (const char c : trimmed(text)) {
    const bool blank = kBlanks.find(c) != std::string_view::npos || (small && c == '_');
    if (blank && words.ends_with(' ')) continue;
    const bool upper = c >= 'A' && c <= 'Z';
    words += blank ? ' ' : small && upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

// "CCE", "CCE ID", "CCE ID v5"; not "Old v4 CCE ID".
bool is_id_header(std::string_view cell) {
  const auto words = words_of(cell.substr(0, 40), /*small=*/true);
  return words == "cce" || words.starts_with("cce id") || words.starts_with("cceid");
}

bool passes_luhn(std::string_view digits) {
  int sum = 0;
  bool twice = false;
  for (std::size_t i = digits.size(); i-- > 0; twice = !twice) {
    int digit = digits[i] - '0';
    if (twice) digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 == 0;
}

void append_line(std::string& text, std::string_view line) {
  if (line.empty()) return;
  if (!text.empty()) text += '\n';
  text += line;
}

// The texts of all children of the child `list`, a line each; of itself when it has none.
std::string lines_of(const XmlNode& node, std::string_view list) {
  const XmlNode* const found = node.child(list);
  if (found == nullptr) return {};
  if (found->children.empty()) return found->all_text();
  std::string text;
  for (const XmlNode& one : found->children) append_line(text, one.all_text());
  return text;
}

}  // namespace

Result<> check_cce_id(std::string_view id) {
  constexpr std::string_view kPrefix = "CCE-";
  if (id.empty()) return fail(ErrorKind::kCorrupt, "it has no CCE id");
  const auto dash = id.rfind('-');
  std::string digits;
  std::ranges::copy_if(id.substr(std::min(kPrefix.size(), id.size())), std::back_inserter(digits), is_digit);
  const bool shaped = id.starts_with(kPrefix) && id.size() <= 16 && dash > kPrefix.size() && dash + 2 == id.size() &&
                      digits.size() + kPrefix.size() + 1 == id.size();
  if (!shaped) return fail(ErrorKind::kCorrupt, "\"{:.40}\" is no CCE id: CCE-NUMBER-DIGIT is one", id);
  if (!passes_luhn(digits)) return fail(ErrorKind::kCorrupt, "{} has a wrong check digit: it is mistyped", id);
  return {};
}

std::string cce_title(std::string_view description) {
  constexpr std::size_t kLongest = 120;
  auto text = words_of(description, /*small=*/false);
  if (const auto stop = text.find(". "); stop != std::string::npos) text.resize(stop + 1);
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  // Not in the middle of a character, and of a word only when there is no other way.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  if (const auto blank = text.rfind(' ', end); blank != std::string::npos && blank > kLongest / 2) end = blank;
  text.resize(end);
  return text;
}

void CceSheet::take_header(const std::vector<std::string>& cells) {
  struct Wanted {
    Role role;
    std::string_view words;
    bool whole;  // or somewhere in it
  };
  // The better name of a thing stands before those that are taken in its absence.
  static constexpr auto kWanted = std::to_array<Wanted>({
      {Role::kTitle, "cce title", true},
      {Role::kTitle, "title", true},
      {Role::kTitle, "name", true},
      {Role::kDescription, "cce description", true},
      {Role::kDescription, "description", true},
      {Role::kDescription, "discussion", true},
      {Role::kDescription, "configuration details", true},
      {Role::kDescription, "check fix", true},
      {Role::kParameters, "cce parameter", false},
      {Role::kParameters, "parameters", true},
      {Role::kParameters, "usgcb setting", true},
      {Role::kMechanism, "technical mechanism", false},
      {Role::kMechanism, "mechanism", true},
  });
  std::vector<std::string> names;
  for (const auto& cell : cells) {
    columns_.push_back({.role = Role::kReference, .header = words_of(cell, /*small=*/false)});
    names.push_back(words_of(cell, /*small=*/true));
  }
  const auto id = std::ranges::find_if(cells, is_id_header);
  columns_[static_cast<std::size_t>(id - cells.begin())].role = Role::kId;
  for (const auto& wanted : kWanted) {
    if (std::ranges::find(columns_, wanted.role, &Column::role) != columns_.end()) continue;
    const auto found = std::ranges::find_if(names, [&wanted](const std::string& name) {
      return wanted.whole ? name == wanted.words : name.find(wanted.words) != std::string::npos;
    });
    if (found == names.end()) continue;
    auto& column = columns_[static_cast<std::size_t>(found - names.begin())];
    if (column.role == Role::kReference) column.role = wanted.role;
  }
}

Result<std::optional<CceEntry>> CceSheet::read(const std::vector<std::string>& cells) {
  ++rows_;
  if (!has_header()) {
    if (rows_ <= kHeaderWithin && std::ranges::any_of(cells, is_id_header)) take_header(cells);
    return std::nullopt;
  }
  CceEntry entry{.platform = platform_};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto text = trimmed(cells[i]);
    if (text.empty()) continue;
    switch (i < columns_.size() ? columns_[i].role : Role::kReference) {
      case Role::kId: entry.id = text; break;
      case Role::kTitle: entry.title = words_of(text, /*small=*/false); break;
      case Role::kDescription: entry.description = text; break;
      case Role::kParameters: entry.parameters = text; break;
      case Role::kMechanism: entry.mechanism = text; break;
      case Role::kReference:
        entry.references.emplace_back(i < columns_.size() ? columns_[i].header : std::string(), text);
        break;
    }
  }
  if (entry.id.empty()) return std::nullopt;
  if (auto good = check_cce_id(entry.id); !good) return fail(std::move(good.error()));
  return entry;
}

Result<> CceSheet::check_header() const {
  if (has_header() || rows_ == 0) return {};
  return fail(ErrorKind::kCorrupt, "there is no column \"CCE ID\" in its first {} rows", kHeaderWithin);
}

Result<CceEntry> read_cce_xml(const XmlNode& node) {
  CceEntry entry{.id = std::string(trimmed(node.attribute("cce_id"))),
                 .platform = std::string(node.attribute("platform"))};
  if (auto good = check_cce_id(entry.id); !good) return fail(std::move(good.error()));
  if (const XmlNode* const description = node.child("description")) entry.description = description->all_text();
  entry.parameters = lines_of(node, "parameters");
  entry.mechanism = lines_of(node, "technical_mechanisms");
  if (const XmlNode* const references = node.child("references")) {
    for (const XmlNode& one : references->children) {
      if (one.name == "reference") entry.references.emplace_back(one.attribute("resource_id"), one.all_text());
    }
  }
  return entry;
}

std::string cce_entry_json(const CceEntry& entry) {
  JsonWriter json;
  json.open('{').filled("platform", entry.platform).filled("title", entry.title);
  json.filled("description", entry.description).filled("parameters", entry.parameters);
  json.filled("mechanism", entry.mechanism);
  if (!entry.references.empty()) {
    json.name("references").open('[');
    for (const auto& [source, text] : entry.references) {
      json.open('{').filled("source", source).filled("text", text).close('}');
    }
    json.close(']');
  }
  json.close('}');
  return json.take();
}

}  // namespace slipway::feeds
