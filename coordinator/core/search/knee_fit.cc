#include "coordinator/core/search/knee_fit.h"

#include <algorithm>
#include <cmath>

#include "coordinator/core/search/least_squares.h"

namespace tidemark {
namespace {

constexpr double kGridStep = 0.005;  // of ln N
constexpr double kFarBelow = 8;      // levels below K / 8 …
constexpr double kFarBelowWeight = 0.15;
constexpr double kKneedleLeast = 0.05;  // of the range of X

double LogLevel(const SweepPoint& point) { return std::log(static_cast<double>(point.level)); }

std::optional<LeastSquaresFit> FitAt(const std::vector<SweepPoint>& points, double log_knee) {
  std::vector<Observation> observations;
  for (const SweepPoint& point : points) {
    const double distance = LogLevel(point) - log_knee;
    const double weight = distance < -std::log(kFarBelow) ? kFarBelowWeight : 1;
    observations.push_back({{1, std::min(distance, 0.0), std::max(distance, 0.0)},
                            std::log(point.output_token_throughput),
                            weight});
  }
  return FitLeastSquares(observations);
}

// Which of sigma and kappa a fit leaves free; the other ones are 0.
struct FreeTerms {
  bool sigma;
  bool kappa;
};

std::vector<Observation> UslObservations(const std::vector<SweepPoint>& points, FreeTerms free) {
  std::vector<Observation> observations;
  for (const SweepPoint& point : points) {
    const double n = static_cast<double>(point.level);
    const double per_slot = point.output_token_throughput / n;  // 1 / y: makes errors relative
    Observation observation{{per_slot}, 1, 1};
    if (free.sigma) observation.x.push_back((n - 1) * per_slot);
    if (free.kappa) observation.x.push_back(n * (n - 1) * per_slot);
    observations.push_back(observation);
  }
  return observations;
}

// Nothing when a parameter would be negative.
std::optional<UslFit> UslOf(const std::vector<double>& parameters, FreeTerms free) {
  const auto negative = [](double value) { return value < 0; };
  if (parameters[0] <= 0 || std::any_of(parameters.begin(), parameters.end(), negative)) {
    return std::nullopt;
  }
  UslFit fit;
  fit.lambda = 1 / parameters[0];
  if (free.sigma) fit.sigma = parameters[1] / parameters[0];
  if (free.kappa) fit.kappa = parameters.back() / parameters[0];
  return fit;
}

void AddResidualAndPeak(const std::vector<SweepPoint>& points, UslFit& fit) {
  double squares = 0;
  for (const SweepPoint& point : points) {
    const double fitted = UslThroughput(fit, static_cast<double>(point.level));
    const double error = std::log(fitted / point.output_token_throughput);
    squares += error * error;
  }
  fit.residual = std::sqrt(squares / static_cast<double>(points.size()));
  if (fit.kappa > 0) fit.peak = std::sqrt(std::max(0.0, 1 - fit.sigma) / fit.kappa);
}

}  // namespace

std::optional<TwoSegmentFit> FitTwoSegments(const std::vector<SweepPoint>& points) {
  if (points.size() < 3) return std::nullopt;
  const double low = LogLevel(points[1]);
  const double high = LogLevel(points[points.size() - 2]);
  const int steps = static_cast<int>(std::ceil((high - low) / kGridStep));
  std::optional<TwoSegmentFit> best;
  double least = 0;
  for (int i = 0; i <= steps; ++i) {
    const double log_knee = i == steps ? high : low + i * kGridStep;
    const std::optional<LeastSquaresFit> fit = FitAt(points, log_knee);
    if (!fit || (best && fit->squared_error >= least)) continue;
    least = fit->squared_error;
    best = TwoSegmentFit{std::exp(log_knee), fit->parameters[1], fit->parameters[2],
                         i == steps && points.size() > 3};
  }
  return best;
}

std::optional<uint64_t> KneedleLevel(const std::vector<SweepPoint>& points) {
  if (points.size() < 3) return std::nullopt;
  const auto by_throughput = [](const SweepPoint& a, const SweepPoint& b) {
    return a.output_token_throughput < b.output_token_throughput;
  };
  const auto [least, most] = std::minmax_element(points.begin(), points.end(), by_throughput);
  const double x0 = static_cast<double>(points.front().level);
  const double width = static_cast<double>(points.back().level) - x0;
  const double floor = least->output_token_throughput;
  const double height = most->output_token_throughput - floor;
  if (!(height > 0)) return std::nullopt;
  std::optional<uint64_t> knee;
  double greatest = kKneedleLeast;
  for (const SweepPoint& point : points) {
    const double above = (point.output_token_throughput - floor) / height -
                         (static_cast<double>(point.level) - x0) / width;
    if (above <= greatest) continue;
    greatest = above;
    knee = point.level;
  }
  return knee;
}

std::optional<double> LittleKnee(const std::vector<SweepPoint>& points) {
  if (points.empty()) return std::nullopt;
  double best = 0;
  for (const SweepPoint& point : points) best = std::max(best, point.output_token_throughput);
  const SweepPoint& lowest = points.front();
  return best * static_cast<double>(lowest.level) / lowest.output_token_throughput;
}

std::optional<UslFit> FitUsl(const std::vector<SweepPoint>& points) {
  if (points.size() < 4) return std::nullopt;
  // The constrained optimum is the best of the fits with some terms at 0 whose others are positive.
  std::optional<UslFit> best;
  double least = 0;
  for (const FreeTerms free : {FreeTerms{true, true}, FreeTerms{true, false},
                               FreeTerms{false, true}, FreeTerms{false, false}}) {
    const std::optional<LeastSquaresFit> fit = FitLeastSquares(UslObservations(points, free));
    if (!fit || (best && fit->squared_error >= least)) continue;
    const std::optional<UslFit> usl = UslOf(fit->parameters, free);
    if (!usl) continue;
    least = fit->squared_error;
    best = usl;
  }
  if (best) AddResidualAndPeak(points, *best);
  return best;
}

double UslThroughput(const UslFit& fit, double concurrency) {
  return fit.lambda * concurrency /
         (1 + fit.sigma * (concurrency - 1) + fit.kappa * concurrency * (concurrency - 1));
}

}  // namespace tidemark
