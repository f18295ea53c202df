// How long things take.
#pragma once

#include <chrono>
#include <functional>

namespace slipway::bench {

template <class Work>
[[nodiscard]] double seconds_for(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::invoke(std::forward<Work>(work));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace slipway::bench
