#ifndef TIDEMARK_TESTS_SUPPORT_EXPORTED_BUCKET_H_
#define TIDEMARK_TESTS_SUPPORT_EXPORTED_BUCKET_H_

#include "common/measurement/histogram.h"

namespace tidemark::testing {

// A bucket of the exported histograms: from just above one bound to the next, seconds.
struct ExportedBucket {
  double above = 0, upto = 0;
};

// The one that holds this quantile of a histogram in microseconds.
ExportedBucket BucketOfQuantile(const Histogram& histogram, double p, bool fine);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_EXPORTED_BUCKET_H_
