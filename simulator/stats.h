// What the simulator saw, for tests to compare with what a client says it sent.
#ifndef TIDEMARK_SIMULATOR_STATS_H_
#define TIDEMARK_SIMULATOR_STATS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/strings/string_view.h"

namespace tidemark {

// Counts of durations in microseconds, 16 buckets an octave. Thread-compatible.
class LatenessHistogram {
 public:
  void Add(int64_t us);
  // The upper edge of the bucket that holds the quantile; 0 when empty.
  int64_t Quantile(double quantile) const;
  int64_t count() const { return count_; }
  int64_t max() const { return max_; }

 private:
  std::vector<int64_t> buckets_;
  int64_t count_ = 0;
  int64_t max_ = 0;
};

// Thread-compatible. Counters since the start or the last Reset; gauges are as of now.
struct SimulatorStats {
  // A request was read. Beyond a bound on the number of paths, the rest count as "other".
  void CountRequest(absl::string_view path);
  // A prompt was read, known by its hash. Beyond a bound on their number no more are counted.
  void CountPrompt(uint64_t hash);
  // A completion or script began and holds its connection, and then ended.
  void Enter();
  void Leave() { --in_flight; }
  // Counters go to 0; in_flight stays and is the new in_flight_max.
  void Reset();
  std::string ToJson(size_t running, size_t waiting) const;

  int64_t requests = 0;
  int64_t in_flight = 0;
  int64_t in_flight_max = 0;
  int64_t completed = 0;      // answered to the end
  int64_t refused = 0;        // 4xx
  int64_t cancelled = 0;      // the client went away
  int64_t tokens = 0;         // sent
  int64_t prompt_tokens = 0;  // of accepted completions
  int64_t steps = 0;          // emissions of the schedule
  int64_t late_steps = 0;     // so late that the schedule was moved
  int64_t connections = 0;    // distinct ones that brought a request
  std::unordered_set<uint64_t> prompts;  // hashes of those read, refused ones included
  std::map<std::string, int64_t> paths;
  std::map<std::string, int64_t> faults;
  LatenessHistogram lateness;  // of emissions
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_STATS_H_
