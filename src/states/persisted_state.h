// The state of a machine whose moves count once they are on disk.
//
//   PersistedState<Light> light("light 7", kLights, Light::kRed);
//   auto moved = light.move(Light::kGreen, [&](Light to) { return store.write(to); });
//
// Whoever has it guards it: a move is not thread-safe, and the next one waits for the write of this one.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "states/transition_table.h"

namespace slipway::states {

template <class State>
class PersistedState {
 public:
  // The table must outlive it. `now` is what is on disk.
  PersistedState(std::string subject, const TransitionTable<State>& table, State now)
      : subject_(std::move(subject)), table_(&table), now_(now) {}

  [[nodiscard]] State get() const { return now_; }
  [[nodiscard]] const std::string& subject() const { return subject_; }

  // kConflict when no row of the table allows it: nothing is written then. Else what `persist` says of writing it; the
  // state stays when that fails.
  template <class Persist>
  [[nodiscard]] Result<> move(State to, Persist&& persist) {
    if (auto allowed = table_->check(subject_, now_, to); !allowed) return allowed;
    Result<> written = std::forward<Persist>(persist)(to);
    if (!written) return written.error().during("move {} from {} to {}", subject_, to_string(now_), to_string(to));
    now_ = to;
    return {};
  }

 private:
  std::string subject_;
  const TransitionTable<State>* table_;
  State now_;
};

}  // namespace slipway::states
