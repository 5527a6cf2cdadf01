// Counts what a bench program allocates.
#ifndef TIDEMARK_TESTS_BENCH_ALLOCATION_COUNT_H_
#define TIDEMARK_TESTS_BENCH_ALLOCATION_COUNT_H_

#include <cstdint>

namespace tidemark::bench {

// Calls of malloc, calloc, realloc, aligned_alloc and posix_memalign so far, by any thread and library of the program.
uint64_t Allocations();

}  // namespace tidemark::bench

#endif  // TIDEMARK_TESTS_BENCH_ALLOCATION_COUNT_H_
