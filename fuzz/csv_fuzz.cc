// Whatever the bytes: CsvRows answers, the same for single bytes as for all at once, and what it accepts is the same
// again when it is written as CSV and read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "archive/testing/memory_source.h"
#include "feeds/formats/csv_rows.h"

namespace {

using namespace slipway;
using namespace slipway::feeds;

struct Seen {
  std::vector<CsvRows::Row> rows;
  std::string error;

  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen read(const std::string& bytes, std::size_t piece, CsvRows::Limits limits) {
  archive::MemorySource source(bytes, piece);
  CsvRows rows(source, limits);
  Seen seen;
  for (;;) {
    auto row = rows.next();
    if (!row) seen.error = row.error().message();
    if (!row || !*row) return seen;
    seen.rows.push_back(std::move(**row));
  }
}

std::string write(const std::vector<CsvRows::Row>& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      text += i == 0 ? "\"" : ",\"";
      for (const char each : row.cells[i]) text.append(each == '"' ? 2 : 1, each);
      text += '"';
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const CsvRows::Limits small{.row = 64, .columns = 8};
  const Seen whole = read(bytes, archive::MemorySource::kWhole, small);
  if (whole != read(bytes, 1, small)) std::abort();
  for (const auto& row : whole.rows) {
    if (row.cells.empty() || row.cells.size() > small.columns) std::abort();
  }
  const Seen again = read(write(whole.rows), archive::MemorySource::kWhole, {});
  if (!again.error.empty() ||
      !std::ranges::equal(again.rows, whole.rows, {}, &CsvRows::Row::cells, &CsvRows::Row::cells))
    std::abort();
  return 0;
}
