#include "feeds/providers/cce_workbook.h"

#include <optional>
#include <utility>

#include "base/number.h"
#include "feeds/formats/xml_elements.h"

namespace slipway::feeds {
namespace {

constexpr std::string_view kWorkbook = "xl/workbook.xml";
constexpr std::string_view kRelations = "xl/_rels/workbook.xml.rels";
constexpr std::string_view kShared = "xl/sharedStrings.xml";

using TakeRecord = std::function<Result<>(const XmlRecord&)>;

Result<> each_record(archive::ByteSource& bytes, std::string element, const TakeRecord& take) {
  XmlElements elements(bytes, {.records = {std::move(element)}});
  for (;;) {
    auto record = elements.next();
    if (!record) return fail(std::move(record.error()));
    if (!*record) return {};
    if (auto taken = take(**record); !taken) return taken;
  }
}

// All of a text that has formats; what tells how to pronounce it is not part of it.
void append_text(std::string& text, const XmlNode& node) {
  for (const XmlNode& child : node.children) {
    if (child.name == "t") text += child.text;
    if (child.name == "r") append_text(text, child);
  }
}

// What XML cannot have in it is written so, and at the ends of lines it is of no use.
std::string without_returns(std::string text) {
  constexpr std::string_view kReturn = "_x000D_";
  for (auto at = text.find(kReturn); at != std::string::npos; at = text.find(kReturn, at))
    text.erase(at, kReturn.size());
  return text;
}

// Counted from 0: 27 of "AB12". Nothing when there are no letters, or too many.
std::optional<std::size_t> column_of(std::string_view reference) {
  std::size_t column = 0;
  std::size_t letters = 0;
  while (letters < reference.size() && reference[letters] >= 'A' && reference[letters] <= 'Z') {
    column = column * 26 + static_cast<std::size_t>(reference[letters] - 'A') + 1;
    if (++letters > 3) return std::nullopt;
  }
  if (letters == 0) return std::nullopt;
  return column - 1;
}

Result<std::string> cell_text(const XmlNode& cell, const std::vector<std::string>& shared) {
  const auto type = cell.attribute("t");
  if (type == "inlineStr") {
    std::string text;
    if (const XmlNode* const inside = cell.child("is")) append_text(text, *inside);
    return without_returns(std::move(text));
  }
  const XmlNode* const value = cell.child("v");
  if (value == nullptr) return std::string();
  if (type != "s") return value->text;
  const auto number = parse_number<std::size_t>(value->text);
  if (!number || *number >= shared.size()) {
    return fail(ErrorKind::kCorrupt, "cell {:.20} has text {:.20} of {} shared ones", cell.attribute("r"), value->text,
                shared.size());
  }
  return shared[*number];
}

Result<std::vector<std::string>> cells_of(const XmlNode& row, const std::vector<std::string>& shared) {
  std::vector<std::string> cells;
  std::size_t next = 0;
  for (const XmlNode& cell : row.children) {
    if (cell.name != "c") continue;
    const auto reference = cell.attribute("r");
    const auto column = reference.empty() ? next : column_of(reference);
    if (!column) return fail(ErrorKind::kCorrupt, "\"{:.20}\" is no place of a cell", reference);
    next = *column + 1;
    auto text = cell_text(cell, shared);
    if (!text) return fail(std::move(text.error()));
    if (text->empty()) continue;
    if (*column >= CceWorkbook::kMostColumns) {
      return fail(ErrorKind::kCorrupt, "cell {:.20} is beyond column {}", reference, CceWorkbook::kMostColumns);
    }
    if (cells.size() <= *column) cells.resize(*column + 1);
    cells[*column] = std::move(*text);
  }
  return cells;
}

}  // namespace

Result<> CceWorkbook::read_part(std::string_view name, archive::ByteSource& bytes) {
  Result<> read;
  if (name == kWorkbook) read = read_sheets(bytes);
  if (name == kRelations) read = read_relations(bytes);
  if (name == kShared) read = read_shared(bytes);
  if (!read) return read.error().during("{}", name);
  return {};
}

Result<> CceWorkbook::read_sheets(archive::ByteSource& bytes) {
  has_workbook_ = true;
  return each_record(bytes, "sheet", [this](const XmlRecord& sheet) -> Result<> {
    names_.insert_or_assign(std::string(sheet.node.attribute("id")), std::string(sheet.node.attribute("name")));
    return {};
  });
}

Result<> CceWorkbook::read_relations(archive::ByteSource& bytes) {
  return each_record(bytes, "Relationship", [this](const XmlRecord& relation) -> Result<> {
    // Either below the workbook's folder, or from the top.
    const auto target = relation.node.attribute("Target");
    auto part = target.starts_with('/') ? std::string(target.substr(1)) : "xl/" + std::string(target);
    targets_.insert_or_assign(std::move(part), std::string(relation.node.attribute("Id")));
    return {};
  });
}

Result<> CceWorkbook::read_shared(archive::ByteSource& bytes) {
  std::size_t total = 0;
  return each_record(bytes, "si", [this, &total](const XmlRecord& record) -> Result<> {
    std::string text;
    append_text(text, record.node);
    total += text.size() + sizeof(std::string);
    if (total > most_shared_) return fail(ErrorKind::kCorrupt, "its texts take more than {} bytes", most_shared_);
    shared_.push_back(without_returns(std::move(text)));
    return {};
  });
}

std::string_view CceWorkbook::sheet_name(std::string_view part) const {
  const auto target = targets_.find(part);
  if (target == targets_.end()) return {};
  const auto name = names_.find(target->second);
  return name == names_.end() ? std::string_view() : std::string_view(name->second);
}

Result<> CceWorkbook::read_sheet(archive::ByteSource& bytes, const Row& row) const {
  std::size_t number = 0;
  return each_record(bytes, "row", [&](const XmlRecord& record) -> Result<> {
    number = parse_number<std::size_t>(record.node.attribute("r")).value_or(number + 1);
    const auto cells = cells_of(record.node, shared_);
    if (!cells) return cells.error().during("row {}", number);
    return row(number, *cells);
  });
}

}  // namespace slipway::feeds
