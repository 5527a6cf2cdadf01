#ifndef TIDEMARK_COMMON_EXPOSITION_METRIC_PAGE_H_
#define TIDEMARK_COMMON_EXPOSITION_METRIC_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// Prometheus's text format. The one door to prometheus-cpp: of it only the serializer is used, for our
// figures are merged facts that exist already; nothing is counted twice and nothing is kept between scrapes.
namespace tidemark {

enum class MetricKind { kCounter, kGauge, kHistogram };

struct MetricFamily {
  absl::string_view name;
  MetricKind kind = MetricKind::kGauge;
  absl::string_view unit;  // in words, for docs/prometheus.md: "seconds", "requests"
  std::vector<absl::string_view> labels;
  absl::string_view help;
};

// A classic histogram: the bounds are shared, the counts cumulative and as many.
struct BucketCounts {
  absl::Span<const double> upper_bounds;  // ascending, inclusive; outlive the page. +Inf is added
  std::vector<uint64_t> cumulative;
  uint64_t count = 0;
  double sum = 0;
};

// One page in the making. Thread-compatible.
class MetricPage {
 public:
  // `table` must outlive the page. All its families are on the page, in its order, also those without a sample.
  explicit MetricPage(absl::Span<const MetricFamily> table);

  // Adds a sample of family number `family`. REQUIRES: as many values as the family has labels; the kind is
  // that of the family; no label set twice.
  void Add(size_t family, std::vector<std::string> label_values, double value);
  void Add(size_t family, std::vector<std::string> label_values, const BucketCounts& histogram);

  std::string Text() const;

 private:
  struct Sample {
    std::vector<std::string> label_values;
    double value = 0;
    BucketCounts histogram;
  };

  absl::Span<const MetricFamily> table_;
  std::vector<std::vector<Sample>> samples_;  // by family
};

// The Content-Type of Text().
inline constexpr char kMetricPageType[] = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_EXPOSITION_METRIC_PAGE_H_
