#include "common/exposition/metric_page.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <utility>

#include "common/log/log.h"

namespace tidemark {
namespace {

prometheus::MetricType TypeOf(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter: return prometheus::MetricType::Counter;
    case MetricKind::kGauge: return prometheus::MetricType::Gauge;
    case MetricKind::kHistogram: return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

prometheus::ClientMetric::Histogram ToPrometheus(const BucketCounts& counts) {
  prometheus::ClientMetric::Histogram out;
  out.sample_count = counts.count;
  out.sample_sum = counts.sum;
  out.bucket.resize(counts.cumulative.size());  // the serializer adds +Inf
  for (size_t i = 0; i < counts.cumulative.size(); ++i) {
    out.bucket[i].cumulative_count = counts.cumulative[i];
    out.bucket[i].upper_bound = counts.upper_bounds[i];
  }
  return out;
}

}  // namespace

MetricPage::MetricPage(absl::Span<const MetricFamily> table) : table_(table), samples_(table.size()) {}

void MetricPage::Add(size_t family, std::vector<std::string> label_values, double value) {
  TIDEMARK_CHECK(table_[family].kind != MetricKind::kHistogram);
  TIDEMARK_CHECK(table_[family].labels.size() == label_values.size());
  samples_[family].push_back({std::move(label_values), value, {}});
}

void MetricPage::Add(size_t family, std::vector<std::string> label_values, const BucketCounts& histogram) {
  TIDEMARK_CHECK(table_[family].kind == MetricKind::kHistogram);
  TIDEMARK_CHECK(table_[family].labels.size() == label_values.size());
  samples_[family].push_back({std::move(label_values), 0, histogram});
}

std::string MetricPage::Text() const {
  std::vector<prometheus::MetricFamily> families(table_.size());
  for (size_t i = 0; i < table_.size(); ++i) {
    const MetricFamily& info = table_[i];
    families[i].name = std::string(info.name);
    families[i].help = std::string(info.help);
    families[i].type = TypeOf(info.kind);
    for (const Sample& sample : samples_[i]) {
      prometheus::ClientMetric& metric = families[i].metric.emplace_back();
      for (size_t k = 0; k < info.labels.size(); ++k) {
        metric.label.push_back({std::string(info.labels[k]), sample.label_values[k]});
      }
      metric.counter.value = metric.gauge.value = sample.value;
      metric.histogram = ToPrometheus(sample.histogram);
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace tidemark
