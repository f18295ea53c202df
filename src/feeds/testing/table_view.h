// What is in the feeds' database, by SQL, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"

namespace slipway::feeds {

// Opens the file for reading at each call. Throws what goes wrong: a test has no use for it.
class TableView {
 public:
  explicit TableView(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] std::int64_t number(const std::string& sql) const;
  // The first column of each row.
  [[nodiscard]] std::vector<std::string> texts(const std::string& sql) const;

 private:
  std::string path_;
};

}  // namespace slipway::feeds
