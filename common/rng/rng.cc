#include "common/rng/rng.h"

namespace tidemark {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

uint64_t RotateLeft(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

}  // namespace

uint64_t MixBits(uint64_t value) {
  value += kGolden;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t CombineSeeds(std::initializer_list<uint64_t> parts) {
  uint64_t seed = kGolden;
  for (const uint64_t part : parts) seed = MixBits(seed ^ MixBits(part));
  return seed;
}

uint64_t SeedFromText(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return MixBits(hash);
}

Rng::Rng(uint64_t seed) {
  for (uint64_t& word : state_) word = seed = MixBits(seed);
}

uint64_t Rng::Next() {
  const uint64_t result = RotateLeft(state_[1] * 5, 7) * 9;
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = RotateLeft(state_[3], 45);
  return result;
}

uint64_t Rng::Below(uint64_t bound) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
}

double Rng::Normal() {
  uint64_t sum = 0;  // twelve uniforms of 32 bits
  for (int i = 0; i < 6; ++i) {
    const uint64_t two = Next();
    sum += (two & 0xffffffff) + (two >> 32);
  }
  return static_cast<double>(sum) * 0x1p-32 - 6.0;
}

}  // namespace tidemark
