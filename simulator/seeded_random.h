// Uniform draws from a seed, the same on every standard library (the distributions of <random>
// are not).
#ifndef TIDEMARK_SIMULATOR_SEEDED_RANDOM_H_
#define TIDEMARK_SIMULATOR_SEEDED_RANDOM_H_

#include <cstdint>
#include <random>

namespace tidemark {

// Thread-compatible. Give each use its own `stream`, so that one use never shifts another's draws.
class SeededRandom {
 public:
  SeededRandom(uint64_t seed, uint64_t stream)
      : engine_(seed * 0x9E3779B97F4A7C15u + stream * 0xBF58476D1CE4E5B9u + 1) {}

  // Uniform in [0, 1).
  double Unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  // Uniform in [low, high]. REQUIRES: low <= high.
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Unit() * static_cast<double>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_SEEDED_RANDOM_H_
