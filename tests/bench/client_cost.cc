#include "tests/bench/client_cost.h"

#include <sys/resource.h>
#include <time.h>

#include <fstream>
#include <string>

#include "tests/bench/allocation_count.h"

namespace tidemark::bench {
namespace {

int64_t Read(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

uint64_t ResidentKiB() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stoull(line.substr(6));
  }
  return 0;
}

}  // namespace

int64_t MonotonicNs() { return Read(CLOCK_MONOTONIC); }

// The middle of two readings, the closest of a few tries.
int64_t MonotonicMinusRealNs() {
  int64_t best = 0, closest = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const int64_t before = MonotonicNs(), real = Read(CLOCK_REALTIME), after = MonotonicNs();
    if (after - before >= closest) continue;
    closest = after - before;
    best = before + closest / 2 - real;
  }
  return best;
}

void PauseUntil(int64_t monotonic_ns) {
  timespec until = {};
  until.tv_sec = monotonic_ns / 1'000'000'000;
  until.tv_nsec = monotonic_ns % 1'000'000'000;
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

ClientCost CostSoFar() {
  ClientCost cost;
  cost.allocations = Allocations();
  cost.resident_kib = ResidentKiB();
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  cost.cpu_s = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  cost.at_ns = MonotonicNs();
  return cost;
}

}  // namespace tidemark::bench
