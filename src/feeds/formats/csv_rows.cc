#include "feeds/formats/csv_rows.h"

#include <algorithm>
#include <span>
#include <utility>

#include <simdjson.h>

namespace slipway::feeds {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

// Lines of `text` before the one that is not UTF-8. Line breaks are no part of any longer character.
std::size_t lines_before_bad(std::string_view text) {
  std::size_t lines = 0;
  for (;;) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos || !is_utf8(text.substr(0, end))) return lines;
    text.remove_prefix(end + 1);
    ++lines;
  }
}

}  // namespace

CsvRows::CsvRows(archive::ByteSource& from) : CsvRows(from, Limits{}) {}
CsvRows::CsvRows(archive::ByteSource& from, Limits limits) : from_(from), limits_(limits) {}

Result<std::optional<CsvRows::Row>> CsvRows::next() {
  if (failed_) return fail(*failed_);
  auto row = advance();
  if (!row) failed_ = row.error();
  return row;
}

Result<std::optional<CsvRows::Row>> CsvRows::advance() {
  if (!begun_) {
    begun_ = true;
    if (auto skipped = skip_byte_order_mark(); !skipped) return fail(std::move(skipped.error()));
  }
  for (;;) {
    if (piece_.empty()) {
      const auto more = fetch();
      if (!more) return fail(more.error());
      if (!*more) return finish();
    }
    const auto row_ended = step();
    if (!row_ended) return fail(row_ended.error());
    if (*row_ended) return std::exchange(row_, {});
  }
}

// False at the end.
Result<bool> CsvRows::fetch() {
  if (ended_) return false;
  const auto piece = from_.next();
  if (!piece) return fail(piece.error());
  piece_ = {reinterpret_cast<const char*>(piece->data()), piece->size()};
  ended_ = piece_.empty();
  return !ended_;
}

Result<> CsvRows::skip_byte_order_mark() {
  while (first_.size() < kByteOrderMark.size()) {
    const auto more = fetch();
    if (!more) return fail(more.error());
    if (!*more) break;
    if (first_.empty() && piece_.size() >= kByteOrderMark.size()) break;
    first_ += piece_;
  }
  if (!first_.empty()) piece_ = first_;
  if (piece_.starts_with(kByteOrderMark)) piece_.remove_prefix(kByteOrderMark.size());
  return {};
}

Result<std::optional<CsvRows::Row>> CsvRows::finish() {
  if (state_ == State::kQuoted) {
    return fail(ErrorKind::kCorrupt, "line {}: the quote that begins a cell here is not closed before the end",
                cell_line_);
  }
  if (state_ == State::kAfterReturn) {
    return fail(ErrorKind::kCorrupt, "line {}: a carriage return without a line feed", line_);
  }
  const auto row_ended = end_row();
  if (!row_ended) return fail(row_ended.error());
  if (!*row_ended) return std::nullopt;
  return std::exchange(row_, {});
}

// Goes on by at least a byte; true when a row has ended.
Result<bool> CsvRows::step() {
  if (state_ == State::kBeginning) {
    cell_line_ = line_;
    if (row_.cells.empty()) row_.line = line_;
    quoted_ = piece_.front() == '"';
    state_ = quoted_ ? State::kQuoted : State::kPlain;
    if (quoted_) {
      if (auto taken = take(1); !taken) return fail(std::move(taken.error()));
      return false;
    }
  }
  if (state_ == State::kPlain) return step_plain();
  if (state_ == State::kQuoted) return step_quoted();
  const char special = piece_.front();
  if (auto taken = take(1); !taken) return fail(std::move(taken.error()));
  return step_special(special);
}

Result<bool> CsvRows::step_plain() {
  const std::size_t count = std::min(piece_.find_first_of(",\"\r\n"), piece_.size());
  if (auto taken = take_into_cell(count); !taken) return fail(std::move(taken.error()));
  if (piece_.empty()) return false;
  const char special = piece_.front();
  if (auto taken = take(1); !taken) return fail(std::move(taken.error()));
  if (special == '"') {
    return fail(ErrorKind::kCorrupt, "line {}: a quote within a cell that does not begin with one", line_);
  }
  return step_special(special);
}

Result<bool> CsvRows::step_quoted() {
  const std::size_t count = std::min(piece_.find('"'), piece_.size());
  if (auto taken = take_into_cell(count); !taken) return fail(std::move(taken.error()));
  if (piece_.empty()) return false;
  if (auto taken = take(1); !taken) return fail(std::move(taken.error()));
  state_ = State::kAfterQuote;
  return false;
}

// What comes after the text of a cell.
Result<bool> CsvRows::step_special(char special) {
  if (special == '\n') {
    auto row_ended = end_row();
    ++line_;
    return row_ended;
  }
  if (state_ == State::kAfterReturn) {
    return fail(ErrorKind::kCorrupt, "line {}: a carriage return without a line feed", line_);
  }
  if (special == '\r') {
    state_ = State::kAfterReturn;
    return false;
  }
  if (special == ',') {
    if (auto ended = end_cell(); !ended) return fail(std::move(ended.error()));
    return false;
  }
  if (special == '"') {  // after another one
    cell_ += '"';
    state_ = State::kQuoted;
    return false;
  }
  return fail(ErrorKind::kCorrupt, "line {}: text after the quote that closes a cell", line_);
}

// Passes `count` bytes of the piece.
Result<> CsvRows::take(std::size_t count) {
  row_bytes_ += count;
  if (row_bytes_ > limits_.row) {
    return fail(ErrorKind::kCorrupt, "line {}: the row that begins here is longer than {} bytes", row_.line,
                limits_.row);
  }
  piece_.remove_prefix(count);
  return {};
}

Result<> CsvRows::take_into_cell(std::size_t count) {
  const std::string_view text = piece_.substr(0, count);
  if (auto taken = take(count); !taken) return taken;
  cell_ += text;
  line_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return {};
}

Result<> CsvRows::end_cell() {
  if (!is_utf8(cell_)) {
    return fail(ErrorKind::kCorrupt, "line {}: bytes that are not UTF-8", cell_line_ + lines_before_bad(cell_));
  }
  if (row_.cells.size() >= limits_.columns) {
    return fail(ErrorKind::kCorrupt, "line {}: the row that begins here has more than {} cells", row_.line,
                limits_.columns);
  }
  row_.cells.push_back(std::exchange(cell_, {}));
  state_ = State::kBeginning;
  quoted_ = false;
  return {};
}

// False for a line without a byte, and at the end behind the last row.
Result<bool> CsvRows::end_row() {
  row_bytes_ = 0;
  if (row_.cells.empty() && cell_.empty() && !quoted_) {
    state_ = State::kBeginning;
    return false;
  }
  if (auto ended = end_cell(); !ended) return fail(std::move(ended.error()));
  return true;
}

}  // namespace slipway::feeds
