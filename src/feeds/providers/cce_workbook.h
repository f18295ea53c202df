// An XLSX workbook, as far as a list needs it: the names of its sheets and the texts of their cells. The parts of the
// file come in any order, so that the sheets are read when all else is known. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"

namespace slipway::feeds {

class CceWorkbook {
 public:
  static constexpr std::size_t kMostShared = std::size_t{256} << 20;  // bytes of shared texts
  static constexpr std::size_t kMostColumns = 1000;

  explicit CceWorkbook(std::size_t most_shared = kMostShared) : most_shared_(most_shared) {}

  // A part of the file that is no sheet; those that are of no use here are not read. kCorrupt: it is broken, or has too
  // much in it.
  [[nodiscard]] Result<> read_part(std::string_view name, archive::ByteSource& bytes);
  // Whether there was a workbook among them.
  [[nodiscard]] bool is_one() const { return has_workbook_; }
  // What the sheet in that part is called; "" when it is none of the workbook's.
  [[nodiscard]] std::string_view sheet_name(std::string_view part) const;

  // The rows of a sheet. An error of `row`, which is given the row's number and its cells, ends it.
  using Row = std::function<Result<>(std::size_t number, const std::vector<std::string>& cells)>;
  [[nodiscard]] Result<> read_sheet(archive::ByteSource& bytes, const Row& row) const;

 private:
  Result<> read_sheets(archive::ByteSource& bytes);
  Result<> read_relations(archive::ByteSource& bytes);
  Result<> read_shared(archive::ByteSource& bytes);

  std::size_t most_shared_;
  bool has_workbook_ = false;
  std::map<std::string, std::string, std::less<>> names_;    // of sheets, by relation
  std::map<std::string, std::string, std::less<>> targets_;  // relations, by the part's name
  std::vector<std::string> shared_;
};

}  // namespace slipway::feeds
