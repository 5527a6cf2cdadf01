#include "common/statistics/statistics.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <exception>
#include <limits>

namespace tidemark {
namespace {

// Without promotion to long double: twice as fast, the same on every architecture, and still good
// to about 1e-13. Errors throw so that an evaluation that gave up cannot pass for a number.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using StudentsT = boost::math::students_t_distribution<double, Policy>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Runs `evaluate`; a Boost exception becomes NaN here, at its door.
template <typename Function>
double NanOnError(Function evaluate) {
  try {
    return evaluate();
  } catch (const std::exception&) {
    return kNan;
  }
}

bool IsShape(double a) { return std::isfinite(a) && a >= 0; }
bool IsShare(double p) { return p >= 0 && p <= 1; }
bool IsOpenShare(double p) { return p > 0 && p < 1; }

}  // namespace

double IncompleteBeta(double a, double b, double x) {
  if (!IsShape(a) || !IsShape(b) || !IsShare(x) || (a == 0 && b == 0)) return kNan;
  if (a == 0) return 1;
  if (b == 0) return x < 1 ? 0 : 1;
  return NanOnError([=] { return boost::math::ibeta(a, b, x, Policy()); });
}

double IncompleteBetaInverse(double a, double b, double probability) {
  if (!IsShape(a) || !IsShape(b) || a == 0 || b == 0 || !IsShare(probability)) return kNan;
  return NanOnError([=] { return boost::math::ibeta_inv(a, b, probability, Policy()); });
}

double StudentTQuantile(double probability, double degrees_of_freedom) {
  if (!IsOpenShare(probability) || !(degrees_of_freedom > 0)) return kNan;
  return NanOnError([=] { return quantile(StudentsT(degrees_of_freedom), probability); });
}

double NormalQuantile(double probability) {
  if (!IsOpenShare(probability)) return kNan;
  return NanOnError([=] { return quantile(Normal(), probability); });
}

Interval ClopperPearson(double events, double trials, double confidence) {
  if (!(trials > 0) || !(events >= 0) || !(events <= trials) || !IsOpenShare(confidence)) {
    return {kNan, kNan};
  }
  const double tail = (1 - confidence) / 2;
  const double rest = trials - events;
  return {events == 0 ? 0 : IncompleteBetaInverse(events, rest + 1, tail),
          rest == 0 ? 1 : IncompleteBetaInverse(events + 1, rest, 1 - tail)};
}

}  // namespace tidemark
