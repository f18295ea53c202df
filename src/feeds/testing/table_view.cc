#include "feeds/testing/table_view.h"

#include <stdexcept>

namespace slipway::feeds {

std::vector<std::string> TableView::texts(const std::string& sql) const {
  auto db = store::Database::open({.path = path_, .mode = store::OpenMode::kReadOnly});
  if (!db) throw std::runtime_error(db.error().describe());
  auto rows = db->prepare(sql);
  if (!rows) throw std::runtime_error(rows.error().describe());
  std::vector<std::string> found;
  for (;;) {
    const auto more = rows->step();
    if (!more) throw std::runtime_error(more.error().describe());
    if (!*more) return found;
    found.emplace_back(rows->text(0));
  }
}

std::int64_t TableView::number(const std::string& sql) const {
  const auto found = texts(sql);
  if (found.size() != 1) throw std::runtime_error(std::to_string(found.size()) + " rows of " + sql);
  return std::stoll(found.front());
}

}  // namespace slipway::feeds
