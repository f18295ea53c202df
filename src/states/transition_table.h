// Which moves between the states of a machine are allowed, written once as data.
//
//   constexpr TransitionTable<Light>::Row kRows[] = {{Light::kRed, Light::kGreen, "the way is free"}, ...};
//   constexpr TransitionTable<Light> kLights(kRows);
//
// A state is an enum with a to_string() beside it. Knows nothing of what the states mean.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace slipway::states {

// The error of a move that no row allows; `possible` are the names of the states that could follow, maybe none.
[[nodiscard]] Error refused(std::string_view subject, std::string_view from, std::string_view to,
                            std::span<const std::string_view> possible);

template <class State>
class TransitionTable {
 public:
  struct Row {
    State from;
    State to;
    std::string_view when;  // for people
  };

  constexpr explicit TransitionTable(std::span<const Row> rows) : rows_(rows) {}

  [[nodiscard]] constexpr std::span<const Row> rows() const { return rows_; }

  [[nodiscard]] constexpr bool allows(State from, State to) const {
    for (const Row& row : rows_) {
      if (row.from == from && row.to == to) return true;
    }
    return false;
  }

  // kConflict, with both states' names. `subject` is what the sentence is about: "provider cve".
  [[nodiscard]] Result<> check(std::string_view subject, State from, State to) const;

 private:
  std::span<const Row> rows_;
};

template <class State>
Result<> TransitionTable<State>::check(std::string_view subject, State from, State to) const {
  if (allows(from, to)) return {};
  std::vector<std::string_view> possible;
  for (const Row& row : rows_) {
    if (row.from == from) possible.push_back(to_string(row.to));
  }
  return fail(refused(subject, to_string(from), to_string(to), possible));
}

}  // namespace slipway::states
