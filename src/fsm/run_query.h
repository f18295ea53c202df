// A RunFilter as SQL over the tables of fsm/run_schema.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/ulid.h"
#include "fsm/run.h"
#include "store/statement.h"

namespace slipway::fsm {

// Selects kRunColumns of the runs that fit, newest first. Holds views into the filter, which must outlive it.
class RunQuery {
 public:
  // kInvalid when the filter names a state that does not exist.
  [[nodiscard]] static Result<RunQuery> make(const RunFilter& filter);

  [[nodiscard]] const std::string& sql() const { return sql_; }
  void bind(store::Statement& statement) const;

 private:
  using Value = std::variant<std::int64_t, std::string_view, store::Bytes, Ulid>;

  void require(std::string_view condition);
  void require(std::string_view condition, Value value);  // compares with the parameter that `condition` ends before

  std::string sql_;
  std::vector<Value> values_;
};

}  // namespace slipway::fsm
