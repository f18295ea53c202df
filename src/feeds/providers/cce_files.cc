#include "feeds/providers/cce_files.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "feeds/formats/csv_rows.h"
#include "feeds/formats/json_elements.h"
#include "feeds/formats/json_node.h"
#include "feeds/formats/xml_elements.h"
#include "feeds/providers/cce_record.h"
#include "feeds/providers/cce_workbook.h"
#include "feeds/providers/csv_items.h"
#include "feeds/providers/items.h"
#include "feeds/sources/feed_files.h"
#include "feeds/sources/local_tag.h"

namespace slipway::feeds {
namespace {

std::string platform_of(std::string_view file) {
  auto name = file_name(file);
  for (const std::string_view extension : {".csv", ".json", ".xml"}) {
    if (name.ends_with(extension)) name.remove_suffix(extension.size());
  }
  return std::string(name);
}

// Into which a list is read, and where in it one is.
struct Reading {
  std::string_view file;
  CceCollection& into;
  const std::stop_token& stop;

  [[nodiscard]] Result<> take(CceSheet& sheet, const std::vector<std::string>& cells, std::string where) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "it is to stop");
    auto entry = sheet.read(cells);
    if (!entry) return into.add_bad(fmt::format("{}: {}", file, where), std::move(entry.error()));
    return *entry ? into.add(**entry) : Result<>();
  }
};

Result<> collect_csv(Reading reading, archive::ByteSource& bytes) {
  CceSheet sheet(platform_of(reading.file));
  CsvRows rows(bytes);
  for (;;) {
    const auto row = rows.next();
    if (!row) return fail(row.error());
    if (!*row) return sheet.check_header();
    auto taken = reading.take(sheet, (*row)->cells, fmt::format("line {}", (*row)->line));
    if (!taken) return taken;
  }
}

Result<> collect_xml(Reading reading, archive::ByteSource& bytes) {
  XmlElements elements(bytes, {.records = {"cce"}});
  for (;;) {
    const auto record = elements.next();
    if (!record) return fail(record.error());
    if (elements.root().name != "cce_list") {
      return fail(ErrorKind::kCorrupt, "the document is a \"{:.40}\", not a cce_list", elements.root().name);
    }
    if (!*record) return {};
    if (reading.stop.stop_requested()) return fail(ErrorKind::kCancelled, "it is to stop");
    auto entry = read_cce_xml((*record)->node);
    auto taken = entry ? reading.into.add(*entry)
                       : reading.into.add_bad(fmt::format("{}: cce in line {}", reading.file, (*record)->line),
                                              std::move(entry.error()));
    if (!taken) return taken;
  }
}

// Columns that become rows.
class Table {
 public:
  Result<> add_column(std::string name, const JsonNode& cells) {
    if (!cells.is_object()) return fail(ErrorKind::kCorrupt, "column \"{:.40}\" has no rows: it is no object", name);
    const auto column = header_.size();
    if (column >= kMostColumns) return fail(ErrorKind::kCorrupt, "there are more than {} columns", kMostColumns);
    header_.push_back(std::move(name));
    for (const auto& [row, cell] : cells.members()) {
      if (cell.is_object() || cell.is_list()) {
        return fail(ErrorKind::kCorrupt, "row \"{:.20}\" of column \"{:.40}\" is neither text nor number", row,
                    header_.back());
      }
      const auto text = cell.is_text() ? std::string(cell.text()) : cell ? cell.raw() : std::string();
      const auto place = places_.try_emplace(std::string(row), rows_.size());
      if (place.second) rows_.push_back({.name = std::string(row)});
      auto& cells_of_row = rows_[place.first->second].cells;
      if (cells_of_row.size() <= column) cells_of_row.resize(column + 1);
      bytes_ += text.size() + sizeof(std::string);
      cells_of_row[column] = text;
      if (bytes_ > kMostBytes) return fail(ErrorKind::kCorrupt, "the cells take more than {} bytes", kMostBytes);
    }
    return {};
  }

  struct Row {
    std::string name{};
    std::vector<std::string> cells{};
  };
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  static constexpr std::size_t kMostColumns = 1000;
  static constexpr std::size_t kMostBytes = std::size_t{128} << 20;

  std::vector<std::string> header_;
  std::vector<Row> rows_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::size_t bytes_ = 0;
};

Result<Table> read_table(archive::ByteSource& bytes) {
  JsonElements elements(bytes, {.members = true});
  Table table;
  JsonDocument document;
  for (;;) {
    const auto member = elements.next();
    if (!member) return fail(member.error());
    if (!*member) return table;
    if ((*member)->kind != JsonElement::Kind::kMember) {
      return fail(ErrorKind::kCorrupt, "it is no table: an object of columns is one");
    }
    // As it stands in the document, it may have escapes.
    const auto name = document.parse(fmt::format("\"{}\"", (*member)->name));
    if (!name) return fail(name.error());
    std::string column(name->text());
    const auto cells = document.parse((*member)->text);
    if (!cells) return fail(cells.error());
    if (auto added = table.add_column(std::move(column), *cells); !added) return fail(std::move(added.error()));
  }
}

Result<> collect_json(Reading reading, archive::ByteSource& bytes) {
  const auto table = read_table(bytes);
  if (!table) return fail(table.error());
  CceSheet sheet(platform_of(reading.file));
  if (auto taken = reading.take(sheet, table->header(), "the names of its columns"); !taken) return taken;
  for (const auto& row : table->rows()) {
    if (auto taken = reading.take(sheet, row.cells, fmt::format("row {}", row.name)); !taken) return taken;
  }
  return sheet.check_header();
}

// `each` for all files in a file.
Result<> each_file(const std::filesystem::path& path, const std::function<Result<>(const FeedFile&)>& each) {
  auto files = FeedFiles::open(path);
  if (!files) return fail(std::move(files.error()));
  for (;;) {
    auto file = files->next();
    if (!file) return fail(std::move(file.error()));
    if (!*file) return {};
    if (auto done = each(**file); !done) return done;
  }
}

Result<> collect_sheet(const CceWorkbook& workbook, const FeedFile& part, CceCollection& into,
                       const std::stop_token& stop) {
  const auto name = workbook.sheet_name(part.name);
  if (name.empty()) return {};
  CceSheet sheet{std::string(name)};
  Reading reading{.file = name, .into = into, .stop = stop};
  auto read = workbook.read_sheet(*part.bytes, [&](std::size_t number, const std::vector<std::string>& cells) {
    return reading.take(sheet, cells, fmt::format("row {}", number));
  });
  // A sheet without ids is a cover or a note.
  if (!read) return read.error().during("{}", part.name);
  return {};
}

// One stored file: a workbook, or one with lists in it. What it is must be known before the first list is read.
Result<> collect_file(const std::filesystem::path& path, std::string_view place, bool one_of_many, CceCollection& into,
                      const std::stop_token& stop) {
  CceWorkbook workbook;
  auto read = each_file(path, [&](const FeedFile& file) { return workbook.read_part(file.name, *file.bytes); });
  if (!read) return read;
  if (workbook.is_one()) {
    return each_file(path, [&](const FeedFile& file) { return collect_sheet(workbook, file, into, stop); });
  }
  return each_file(path, [&](const FeedFile& file) -> Result<> {
    if ((one_of_many || file.one_of_many) && !is_cce_file(file.name)) return {};
    const bool nameless = file.name.find('.') == std::string::npos;
    return collect_cce_list(nameless ? file_name(place) : file.name, *file.bytes, into, stop);
  });
}

}  // namespace

bool is_cce_file(std::string_view name) {
  const auto last = file_name(name);
  return last.ends_with(".csv") || last.ends_with(".json") || last.ends_with(".xml");
}

Result<> collect_cce_list(std::string_view file, archive::ByteSource& bytes, CceCollection& into,
                          const std::stop_token& stop) {
  PeekedSource peeked(bytes);
  const auto first = peeked.first();
  if (!first) return first.error().during("{}", file);
  const Reading reading{.file = file, .into = into, .stop = stop};
  auto read = *first == '<'                    ? collect_xml(reading, peeked)
              : *first == '{' || *first == '[' ? collect_json(reading, peeked)
                                               : collect_csv(reading, peeked);
  if (!read) return read.error().during("{}", file);
  return {};
}

Result<> collect_cce(const std::filesystem::path& path, std::string_view place, CceCollection& into,
                     const std::stop_token& stop) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return collect_file(path, place, /*one_of_many=*/false, into, stop);
  const auto files = files_below(path);
  if (!files) return fail(files.error());
  for (const auto& file : *files) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "it is to stop");
    if (auto read = collect_file(path / file, file.string(), /*one_of_many=*/true, into, stop); !read) return read;
  }
  return {};
}

}  // namespace slipway::feeds
