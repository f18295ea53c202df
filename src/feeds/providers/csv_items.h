// Items of CSV files with a header: each row after it. And what to do with bytes that do not say whether they are CSV
// or something else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"
#include "feeds/formats/csv_rows.h"
#include "feeds/providers/items.h"

namespace slipway::feeds {

struct CsvItem {
  const std::vector<std::string>& header;
  const CsvRows::Row& row;
  std::string_view file{};  // that it is in

  [[nodiscard]] bool has(std::string_view column) const;
  [[nodiscard]] std::string_view cell(std::string_view column) const;  // "" where there is no such column
};

// Never asked about a row that is wider or narrower than the header: such a one is bad.
using ReadCsv = std::function<Result<std::vector<Record>>(const CsvItem&)>;

// `bytes` must outlive the items. A file without one of the columns that are needed is broken.
[[nodiscard]] std::unique_ptr<Items> csv_items(std::string file, archive::ByteSource& bytes,
                                               std::vector<std::string> needed, ReadCsv read);

// Bytes whose beginning can be looked at before they are read. One thread; `from` must outlive it.
class PeekedSource : public archive::ByteSource {
 public:
  explicit PeekedSource(archive::ByteSource& from) : from_(from) {}

  // The first byte that is neither a blank nor of a byte order mark; 0 when there is none in the beginning.
  [[nodiscard]] Result<char> first();
  [[nodiscard]] Result<std::span<const std::byte>> next() override;

 private:
  archive::ByteSource& from_;
  std::string beginning_;
  bool peeked_ = false;
  bool given_ = false;
};

// Items of a file whose first byte says how it is to be read. `make` is called once, with a source that the items own.
using MakeItems = std::function<std::unique_ptr<Items>(char first, archive::ByteSource& bytes)>;
[[nodiscard]] std::unique_ptr<Items> items_by_first_byte(std::string file, archive::ByteSource& bytes, MakeItems make);

}  // namespace slipway::feeds
