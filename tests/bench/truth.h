// A client's times held against those of the server's send log.
#ifndef TIDEMARK_TESTS_BENCH_TRUTH_H_
#define TIDEMARK_TESTS_BENCH_TRUTH_H_

#include <cstdint>
#include <vector>

#include "simulator/send_log.h"

namespace tidemark::bench {

// A request as the client saw it; times are CLOCK_MONOTONIC.
struct ClientRequest {
  uint32_t key = 0;  // BodyKey
  int64_t sent_ns = 0;
  int64_t ttft_ns = 0;
  std::vector<int64_t> gaps_ns;  // between token events, all of them
};

struct Spread {
  uint64_t count = 0;
  double mean = 0, p50 = 0, p99 = 0, max = 0;  // microseconds
};

struct Truth {
  uint64_t compared = 0, unmatched = 0;  // requests
  Spread ttft_error, itl_error;          // absolute values of client minus server
  Spread ttft, itl;                      // as the client says
  Spread true_ttft, true_itl;            // as the server's sends say: first token's send minus the client's own `sent`
};

Truth CompareWithLog(const std::vector<ClientRequest>& requests, const SentEvents& log);

// What the log holds of a window of time.
struct LogWindow {
  uint64_t events = 0;       // token events sent
  uint64_t requests = 0;     // answers ended
  Spread late;               // of tokens, against the plan
};

LogWindow WindowOf(const SentEvents& log, int64_t from_ns, int64_t to_ns);

// How late the first `count` requests were read, when they should have been sent evenly over `span_ns` from `start_ns`.
Spread StartLateness(const SentEvents& log, int64_t start_ns, int64_t span_ns, uint64_t count);

}  // namespace tidemark::bench

#endif  // TIDEMARK_TESTS_BENCH_TRUTH_H_
