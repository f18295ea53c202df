// Inside src/pipeline: what a transition leaves for the next one of its run beside the response, since it is too large
// to be stored with that or will be stored elsewhere. Only a memory: after a crash it is not there, and is made again.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "fsm/version.h"
#include "sys/mutex.h"

namespace slipway::pipeline {

// Thread-safe.
template <class T>
class HandOver {
 public:
  void put(fsm::RunVersion run, T thing) SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    by_run_.insert_or_assign(run, std::move(thing));
  }
  std::optional<T> take(fsm::RunVersion run) SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    auto found = by_run_.extract(run);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
  }
  void drop(fsm::RunVersion run) { static_cast<void>(take(run)); }

 private:
  sys::Mutex mutex_;
  std::map<fsm::RunVersion, T> by_run_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::pipeline
