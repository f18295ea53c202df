// A table of text. On a terminal it fits the width: the least important column is shortened first, then the optional
// ones are left out, then the others but for the first column and those of importance 100. What does not fit even then
// is left to the terminal.
// Elsewhere nothing is ever cut. Columns are separated by two spaces; there are no tabs and no spaces at the ends of
// lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/style.h"
#include "cli/text.h"

namespace slipway::cli {

inline constexpr std::size_t kWhole = SIZE_MAX;  // as a column's least: it is never shortened

struct Column {
  std::string title;
  int importance = 100;   // the lowest is shortened, and left out, first; with 100 it is never left out
  std::size_t least = 6;  // it is not made narrower than this many columns
  bool right = false;     // numbers
  Cut cut = Cut::kEnd;
  bool optional = false;  // left out where there is no room for all at their narrowest
};

// Text from anywhere: what could harm a terminal is escaped when it is shown.
struct Cell {
  Cell(std::string content, Style look = Style::kPlain)  // NOLINT(google-explicit-constructor): rows read as lists
      : text(std::move(content)), style(look) {}
  Cell(const char* content) : text(content) {}  // NOLINT(google-explicit-constructor)

  std::string text;
  Style style = Style::kPlain;
};

struct TableLook {
  std::optional<std::size_t> width{};  // none: as wide as it is
  bool color = false;
  std::string ellipsis{"…"};
};

// Without titles there is no line for them.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<Cell> row);  // as many cells as there are columns
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string render(const TableLook& look) const;

 private:
  // Columns of each; 0: it is not shown.
  [[nodiscard]] std::vector<std::size_t> widths(const TableLook& look) const;

  [[nodiscard]] std::vector<std::size_t> shrink(const std::vector<std::size_t>& natural,
                                                const std::vector<std::size_t>& shown, std::size_t room) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;  // printable
};

}  // namespace slipway::cli
