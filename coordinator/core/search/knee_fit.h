// The fits that a sweep's knee rests on. Throughputs are output tokens/s, levels are concurrency.
//
// Plain values and pure functions: thread-safe. Every function here REQUIRES levels that ascend,
// each once, with throughput over 0.
#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_KNEE_FIT_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_KNEE_FIT_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark {

struct SweepPoint {
  uint64_t level = 0;
  double output_token_throughput = 0;
};

// ln X = a + rise min(ln N - K, 0) + after max(ln N - K, 0).
struct TwoSegmentFit {
  double knee = 0;      // e^K, a concurrency between the second and the last but one level
  double rise = 0;      // slope of ln X in ln N below the knee; 1 is throughput proportional to N
  double after = 0;     // slope above it
  bool at_end = false;  // K is at the last but one level: the knee may lie above it
};

// K by a fine grid; levels below K/8 weigh little, for there X is bent by what is no saturation
// (the fixed part of a step). With three levels K is the middle one. Nothing with fewer.
std::optional<TwoSegmentFit> FitTwoSegments(const std::vector<SweepPoint>& points);

// Kneedle: with levels and throughputs both scaled to [0, 1], the level farthest above the
// diagonal. Nothing when none is noticeably above it.
std::optional<uint64_t> KneedleLevel(const std::vector<SweepPoint>& points);

// X_best R(1): where throughput growing as at the lowest level would reach the best one. By
// Little's law R at the lowest level is its N / X. Nothing without points.
std::optional<double> LittleKnee(const std::vector<SweepPoint>& points);

// The Universal Scalability Law X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)).
struct UslFit {
  double lambda = 0;           // tokens/s of one slot; over 0
  double sigma = 0;            // contention; not negative
  double kappa = 0;            // coherence; not negative
  double residual = 0;         // root mean square of ln(fitted X / measured X)
  std::optional<double> peak;  // the concurrency of the greatest X; nothing when X never falls
};

// Least squares of the relative error of N / X, which is linear in the parameters, none of them
// negative. Nothing with fewer than four levels: three parameters fit any three.
std::optional<UslFit> FitUsl(const std::vector<SweepPoint>& points);

double UslThroughput(const UslFit& fit, double concurrency);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_KNEE_FIT_H_
