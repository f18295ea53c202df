// Random choices that are the same everywhere for the same seed.
#pragma once

#include <cstdint>
#include <random>

namespace slipway::crash {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // 0 ... bound - 1. Not std::uniform_int_distribution: each standard library has its own.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace slipway::crash
