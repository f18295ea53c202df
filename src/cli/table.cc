#include "cli/table.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace slipway::cli {
namespace {

constexpr std::size_t kGap = 2;

}  // namespace

void Table::add(std::vector<Cell> row) {
  assert(row.size() == columns_.size());
  for (auto& cell : row) cell.text = printable(cell.text);
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::widths(const TableLook& look) const {
  std::vector<std::size_t> widths;
  for (const auto& column : columns_) widths.push_back(display_width(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i].text));
  }
  if (!look.width || columns_.empty()) return widths;

  std::vector<std::size_t> order(columns_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return columns_[i].importance; });
  std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (columns_.size() - 1));
  for (const std::size_t i : order) {
    if (total <= *look.width) break;
    const auto least = std::min(widths[i], columns_[i].least);
    const auto saved = std::min(widths[i] - least, total - *look.width);
    widths[i] -= saved;
    total -= saved;
  }
  return widths;
}

std::string Table::render(const TableLook& look) const {
  const auto width = widths(look);
  std::string out;
  const auto put = [&](std::size_t i, const std::string& text, Style style) {
    const bool last = i + 1 == columns_.size();
    const auto shown = shorten(text, width[i], look.ellipsis, columns_[i].cut);
    const std::size_t spaces = width[i] - std::min(width[i], display_width(shown));
    if (columns_[i].right) out.append(spaces, ' ');
    out += paint(shown, style, look.color);
    if (!columns_[i].right && !last) out.append(spaces, ' ');
    if (!last) out.append(kGap, ' ');
  };
  const auto end_line = [&] {
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) put(i, columns_[i].title, Style::kBold);
  end_line();
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) put(i, row[i].text, row[i].style);
    end_line();
  }
  return out;
}

}  // namespace slipway::cli
