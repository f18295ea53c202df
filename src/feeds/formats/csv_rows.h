// Reads comma-separated values (RFC 4180) row by row: memory is bounded however long the file is.
//
// Cells may be quoted, and then have commas, line breaks and doubled quotes in them, which are kept as they are, but
// for the quotes, of which one stays. Lines end with LF or CR LF, the last one need not. A UTF-8 byte order mark at the
// beginning is dropped, and lines without a byte are passed over. How many cells a row has is the caller's to judge.
//
// Refused, as kCorrupt and with the line: a quote that is not closed (the line in which it began), text after a closing
// quote, a quote within a cell that is not quoted, a CR without LF outside of quotes, bytes that are not UTF-8, what is
// beyond a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"

namespace slipway::feeds {

// One thread. `from` must outlive it.
class CsvRows {
 public:
  struct Limits {
    std::size_t row = 1UL << 20;  // bytes, with quotes, commas and line end
    std::size_t columns = 1000;
  };
  struct Row {
    std::size_t line = 0;  // at which it begins, from 1
    std::vector<std::string> cells{};

    friend bool operator==(const Row&, const Row&) = default;
  };

  explicit CsvRows(archive::ByteSource& from);
  CsvRows(archive::ByteSource& from, Limits limits);

  // The next row; nothing at the end. Both an error and the end stay.
  [[nodiscard]] Result<std::optional<Row>> next();

 private:
  enum class State : std::uint8_t { kBeginning, kPlain, kQuoted, kAfterQuote, kAfterReturn };

  Result<std::optional<Row>> advance();
  Result<std::optional<Row>> finish();
  Result<bool> fetch();
  Result<> skip_byte_order_mark();
  Result<bool> step();
  Result<bool> step_plain();
  Result<bool> step_quoted();
  Result<bool> step_special(char special);
  Result<> take(std::size_t count);
  Result<> take_into_cell(std::size_t count);
  Result<> end_cell();
  Result<bool> end_row();

  archive::ByteSource& from_;
  Limits limits_;
  std::string first_;       // the first pieces, when they are too small to see a byte order mark
  std::string_view piece_;  // of the source or of first_, not looked at yet
  bool begun_ = false;
  bool ended_ = false;
  std::optional<Error> failed_;

  State state_ = State::kBeginning;
  std::size_t line_ = 1;       // of the next byte
  std::size_t cell_line_ = 1;  // in which the cell began
  std::size_t row_bytes_ = 0;
  bool quoted_ = false;
  std::string cell_;
  Row row_;
};

}  // namespace slipway::feeds
