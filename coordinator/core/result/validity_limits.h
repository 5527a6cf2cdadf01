#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_VALIDITY_LIMITS_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_VALIDITY_LIMITS_H_

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// Thresholds of a measure (docs/validity.md). Beyond `suspect` it is said; beyond `invalid` the level has no
// verdict.
struct ValidityLimits {
  double suspect;
  double invalid;
};

// Of a measure of which more is worse, and of one of which less is.
inline v1::Validity StateAbove(double value, ValidityLimits limits) {
  if (value > limits.invalid) return v1::VALIDITY_INVALID;
  return value > limits.suspect ? v1::SUSPECT : v1::VALID;
}
inline v1::Validity StateBelow(double value, ValidityLimits limits) {
  if (value < limits.invalid) return v1::VALIDITY_INVALID;
  return value < limits.suspect ? v1::SUSPECT : v1::VALID;
}

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_VALIDITY_LIMITS_H_
