#ifndef TIDEMARK_COMMON_RNG_RNG_H_
#define TIDEMARK_COMMON_RNG_RNG_H_

#include <cstdint>
#include <initializer_list>

#include "absl/strings/string_view.h"

namespace tidemark {

// Random numbers that are the same on every machine and compiler, for ever: what a seed makes is
// part of a result. Not for secrets.

// A bijection of 64 bits in which each input bit moves about half of the output bits (SplitMix64).
uint64_t MixBits(uint64_t value);

// One number from several: the seed of request i comes from the job's seed and i, so any request
// can be made without making those before it.
uint64_t CombineSeeds(std::initializer_list<uint64_t> parts);

// A number from text (FNV-1a, mixed).
uint64_t SeedFromText(absl::string_view text);

// xoshiro256**. Thread-compatible; cheap to make and copy.
class Rng {
 public:
  explicit Rng(uint64_t seed);

  uint64_t Next();
  // Uniform in [0, bound). REQUIRES: bound > 0. Biased by less than bound / 2^64.
  uint64_t Below(uint64_t bound);
  // Near normal, mean 0, deviation 1, within [-6, 6]: the sum of twelve uniforms. Only additions,
  // so that no platform's mathematics library shows in it.
  double Normal();

 private:
  uint64_t state_[4];
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RNG_RNG_H_
