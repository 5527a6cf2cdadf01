// Weighted linear least squares for a handful of parameters.
//
// Pure and thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_LEAST_SQUARES_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_LEAST_SQUARES_H_

#include <optional>
#include <vector>

namespace tidemark {

// One equation: sum of x[j] * parameter[j] = y, whose squared error counts `weight` times.
struct Observation {
  std::vector<double> x;
  double y = 0;
  double weight = 1;
};

struct LeastSquaresFit {
  std::vector<double> parameters;  // as many as each observation has x
  double squared_error = 0;        // weighted sum
};

// Nothing when the observations do not determine the parameters. REQUIRES: all x of one size.
std::optional<LeastSquaresFit> FitLeastSquares(const std::vector<Observation>& observations);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_LEAST_SQUARES_H_
