// What this process has cost so far.
#ifndef TIDEMARK_TESTS_BENCH_CLIENT_COST_H_
#define TIDEMARK_TESTS_BENCH_CLIENT_COST_H_

#include <cstdint>

namespace tidemark::bench {

struct ClientCost {
  int64_t at_ns = 0;  // CLOCK_MONOTONIC
  double cpu_s = 0;   // of all threads, user and system
  uint64_t allocations = 0;
  uint64_t resident_kib = 0;
};

ClientCost CostSoFar();

// CLOCK_MONOTONIC, and what is to be added to CLOCK_REALTIME to have it.
int64_t MonotonicNs();
int64_t MonotonicMinusRealNs();

// A bounded pause.
void PauseUntil(int64_t monotonic_ns);

}  // namespace tidemark::bench

#endif  // TIDEMARK_TESTS_BENCH_CLIENT_COST_H_
