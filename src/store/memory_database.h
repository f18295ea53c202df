// A database file that somebody else has made, held in memory: to be read, and not to be trusted.
//
// Nothing is opened for it, not even a temporary file. Whatever the file's schema says, nothing of it is run: there are
// no views, triggers or virtual tables, and no functions. What stands in a write-ahead log beside the file is not seen.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "store/statement.h"

struct sqlite3;

namespace slipway::store {

// One thread.
class MemoryDatabase {
 public:
  static constexpr int kLongestValue = 64 << 20;  // bytes

  // kCorrupt when the bytes are no database, or its schema cannot be read.
  [[nodiscard]] static Result<MemoryDatabase> open(std::string bytes);

  using Take = std::function<Result<>(const Statement& row)>;
  // Gives each row of a SELECT to `take`, whose error ends it. kCorrupt: the file is not what it should be. kRejected:
  // a value is longer than kLongestValue. There may be more rows than the file has room for, when its pages are used
  // twice: `take` should know when it has had enough.
  [[nodiscard]] Result<> for_each(std::string_view sql, const Take& take);

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  MemoryDatabase() = default;

  Result<> set_up();
  Result<Statement> prepare(std::string_view sql);

  std::unique_ptr<std::string> bytes_{};  // stays where it is: SQLite reads there
  std::unique_ptr<sqlite3, Closer> handle_{};
};

}  // namespace slipway::store
