#ifndef TIDEMARK_TESTS_FUZZ_FUZZ_CHECK_H_
#define TIDEMARK_TESTS_FUZZ_FUZZ_CHECK_H_

#include <cstdio>
#include <cstdlib>

// Ends the process when `condition` does not hold: how a fuzz target says that it found something.
#define FUZZ_CHECK(condition)                                                          \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                    \
    }                                                                                  \
  } while (false)

#endif  // TIDEMARK_TESTS_FUZZ_FUZZ_CHECK_H_
