#include "cli/table.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace slipway::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr int kAlwaysShown = 100;

// Of columns that are shown (not 0), with the gaps between them.
std::size_t total_width(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const auto width : widths) {
    if (width > 0) total += width + (total > 0 ? kGap : 0);
  }
  return total;
}

}  // namespace

void Table::add(std::vector<Cell> row) {
  assert(row.size() == columns_.size());
  for (auto& cell : row) cell.text = printable(cell.text);
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::widths(const TableLook& look) const {
  std::vector<std::size_t> natural;
  for (const auto& column : columns_) natural.push_back(std::max<std::size_t>(1, display_width(column.title)));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) natural[i] = std::max(natural[i], display_width(row[i].text));
  }
  if (!look.width) return natural;

  std::vector<std::size_t> shown(columns_.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::ranges::sort(shown, {}, [&](std::size_t i) { return std::pair(columns_[i].importance, i); });
  for (;;) {
    auto widths = shrink(natural, shown, *look.width);
    if (total_width(widths) <= *look.width) return widths;
    auto dropped = std::ranges::find_if(shown, [&](std::size_t i) { return columns_[i].optional; });
    if (dropped == shown.end()) {
      dropped =
          std::ranges::find_if(shown, [&](std::size_t i) { return i != 0 && columns_[i].importance < kAlwaysShown; });
    }
    if (dropped == shown.end()) return widths;
    shown.erase(dropped);
  }
}

// Those of `shown`, the least important first, made as narrow as they must and may be; 0 for the others.
std::vector<std::size_t> Table::shrink(const std::vector<std::size_t>& natural, const std::vector<std::size_t>& shown,
                                       std::size_t room) const {
  std::vector<std::size_t> widths(natural.size(), 0);
  for (const std::size_t i : shown) widths[i] = natural[i];
  for (const std::size_t i : shown) {
    const auto total = total_width(widths);
    if (total <= room) break;
    const auto least = std::min(widths[i], columns_[i].least);
    widths[i] -= std::min(widths[i] - least, total - room);
  }
  return widths;
}

std::string Table::render(const TableLook& look) const {
  const auto width = widths(look);
  std::string out;
  bool first = true;
  const auto put = [&](std::size_t i, const std::string& text, Style style) {
    if (width[i] == 0) return;
    if (!std::exchange(first, false)) out.append(kGap, ' ');
    const auto shown = shorten(text, width[i], look.ellipsis, columns_[i].cut);
    const std::size_t spaces = width[i] - std::min(width[i], display_width(shown));
    if (columns_[i].right) out.append(spaces, ' ');
    out += paint(shown, style, look.color);
    if (!columns_[i].right) out.append(spaces, ' ');
  };
  const auto end_line = [&] {
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
    first = true;
  };
  const bool titled = std::ranges::any_of(columns_, [](const Column& column) { return !column.title.empty(); });
  if (titled) {
    for (std::size_t i = 0; i < columns_.size(); ++i) put(i, columns_[i].title, Style::kBold);
    end_line();
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) put(i, row[i].text, row[i].style);
    end_line();
  }
  return out;
}

}  // namespace slipway::cli
