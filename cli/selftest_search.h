// What a selftest asks next, and what it makes of what it measured.
//
// Pure: no clock, no endpoint. Thread-compatible.
#ifndef TIDEMARK_CLI_SELFTEST_SEARCH_H_
#define TIDEMARK_CLI_SELFTEST_SEARCH_H_

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark {

// One level against the null endpoint.
struct SelftestTrial {
  uint32_t streams = 0;
  uint64_t failures = 0;          // of measured requests
  double events_per_second = 0;   // that came
  bool stamped = true;            // reader_delay_p99_ms is from the kernel's stamps; else it is the loop's lag
  double reader_delay_p99_ms = 0;
  double send_lateness_p99_ms = 0;  // from when a send was due, or its slot was free
  double in_flight = 1;             // mean over the window, per slot
  double latency_ms = 0;            // mean of a request
  double due_latency_ms = 0;        // as the endpoint's schedule has it
  double loop_cpu = 0;              // of the busiest loop, in cores
};

// Why these streams are more than this host drives, in a clause; empty when it drives them.
std::string WhyNotDriven(const SelftestTrial& trial);

// Most streams that are driven: doubles from `start`, then halves the gap until it is below `precision` of its
// upper end. Streams that were not driven are tried `tries` times in all, for a neighbour may have disturbed.
class SelftestSearch {
 public:
  struct Options {
    uint32_t start = 500;
    uint32_t most = 0;  // the host's limits
    double precision = 0.1;
    int tries = 2;
  };
  explicit SelftestSearch(Options options) : options_(options) {}

  // Nothing: it has ended.
  std::optional<uint32_t> Next() const;
  // What became of the streams that Next asked for.
  void Take(bool driven);
  uint32_t best() const { return driven_; }  // 0: none were driven

 private:
  const Options options_;
  uint32_t driven_ = 0;
  std::optional<uint32_t> too_many_;
  int failed_ = 0;  // tries of what is asked
};

}  // namespace tidemark

#endif  // TIDEMARK_CLI_SELFTEST_SEARCH_H_
