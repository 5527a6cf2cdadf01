// The distributions that verdicts and intervals need, over real (not only whole) counts: the
// effective counts n' and v' of correlated requests are fractions. A door to Boost.Math.
//
// All functions are pure and thread-safe. Probabilities and shares are in [0, 1]. An argument
// outside a function's domain, or an evaluation that does not converge, gives NaN; nothing throws.
#ifndef TIDEMARK_COMMON_STATISTICS_STATISTICS_H_
#define TIDEMARK_COMMON_STATISTICS_STATISTICS_H_

namespace tidemark {

// An interval of a share or of a measured figure, in that figure's unit.
struct Interval {
  double lower = 0;
  double upper = 0;
};

// I_x(a, b), the regularised incomplete beta function, for a, b >= 0 (not both 0). The limits are
// taken at a = 0 (1 for every x) and at b = 0 (0 for x < 1), so that counts of 0 need no special
// case: I_p(n - v, v + 1) = P(Binomial(n, 1 - p) <= v).
double IncompleteBeta(double a, double b, double x);

// The x with I_x(a, b) = probability, for a, b > 0.
double IncompleteBetaInverse(double a, double b, double probability);

// The value below which Student's t with `degrees_of_freedom` > 0 lies with `probability` in (0,
// 1).
double StudentTQuantile(double probability, double degrees_of_freedom);

// The same for the standard normal distribution.
double NormalQuantile(double probability);

// Clopper-Pearson: the share of events in the population, given `events` in `trials`, at a
// two-sided `confidence` in (0, 1). REQUIRES: 0 <= events <= trials, trials > 0.
Interval ClopperPearson(double events, double trials, double confidence);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_STATISTICS_STATISTICS_H_
