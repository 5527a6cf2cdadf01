#include "coordinator/core/search/least_squares.h"

#include <cmath>
#include <cstddef>

namespace tidemark {
namespace {

// Columns smaller than this beside their original length are combinations of earlier ones.
constexpr double kDependent = 1e-10;

using Column = std::vector<double>;

double Dot(const Column& a, const Column& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void Subtract(double factor, const Column& from, Column& column) {
  for (size_t i = 0; i < column.size(); ++i) column[i] -= factor * from[i];
}

// Columns of the weighted system, one a parameter, and the right-hand side as the last one.
std::vector<Column> WeightedColumns(const std::vector<Observation>& observations) {
  const size_t parameters = observations.front().x.size();
  std::vector<Column> columns(parameters + 1, Column(observations.size()));
  for (size_t i = 0; i < observations.size(); ++i) {
    const Observation& observation = observations[i];
    const double root = std::sqrt(observation.weight);
    for (size_t j = 0; j < parameters; ++j) columns[j][i] = root * observation.x[j];
    columns[parameters][i] = root * observation.y;
  }
  return columns;
}

std::vector<double> SolveTriangular(const std::vector<Column>& upper, size_t parameters) {
  std::vector<double> solution(parameters);
  for (size_t j = parameters; j-- > 0;) {
    double rest = upper[j][parameters];
    for (size_t k = j + 1; k < parameters; ++k) rest -= upper[j][k] * solution[k];
    solution[j] = rest / upper[j][j];
  }
  return solution;
}

}  // namespace

// QR by modified Gram-Schmidt with the right-hand side as one more column, whose remainder is the
// residual; normal equations would square the spread of N(N-1).
std::optional<LeastSquaresFit> FitLeastSquares(const std::vector<Observation>& observations) {
  if (observations.empty() || observations.size() < observations.front().x.size()) {
    return std::nullopt;
  }
  const size_t parameters = observations.front().x.size();
  std::vector<Column> columns = WeightedColumns(observations);
  std::vector<Column> upper(parameters, Column(parameters + 1));
  std::vector<double> lengths;
  lengths.reserve(columns.size());
  for (const Column& column : columns) lengths.push_back(std::sqrt(Dot(column, column)));
  for (size_t j = 0; j < parameters; ++j) {
    const double length = std::sqrt(Dot(columns[j], columns[j]));
    if (!(length > kDependent * lengths[j])) return std::nullopt;
    upper[j][j] = length;
    for (double& value : columns[j]) value /= length;
    for (size_t k = j + 1; k <= parameters; ++k) {
      upper[j][k] = Dot(columns[j], columns[k]);
      Subtract(upper[j][k], columns[j], columns[k]);
    }
  }
  return LeastSquaresFit{SolveTriangular(upper, parameters),
                         Dot(columns[parameters], columns[parameters])};
}

}  // namespace tidemark
