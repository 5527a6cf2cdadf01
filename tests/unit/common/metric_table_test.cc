#include "common/measurement/metric_table.h"

#include <cmath>
#include <set>
#include <string>

#include "common/measurement/histogram.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(MetricTable, HasEveryMetricOnceInEnumOrder) {
  ASSERT_EQ(MetricTable().size(), kMetricCount);
  std::set<std::string> tags;
  for (size_t i = 0; i < kMetricCount; ++i) {
    EXPECT_EQ(MetricTable()[i].metric, static_cast<Metric>(i));
    tags.insert(std::string(MetricTable()[i].tag));
  }
  EXPECT_EQ(tags.size(), kMetricCount);
}

TEST(MetricTable, FindsEachMetricByItsTag) {
  for (const MetricInfo& info : MetricTable()) {
    EXPECT_EQ(MetricByTag(info.tag), info.metric) << info.tag;
    EXPECT_EQ(InfoOf(info.metric).tag, info.tag);
  }
  EXPECT_EQ(MetricByTag("ttft"), std::nullopt);
  EXPECT_EQ(MetricByTag(""), std::nullopt);
}

TEST(MetricTable, FillsEveryColumn) {
  for (const MetricInfo& info : MetricTable()) {
    EXPECT_FALSE(info.display_name.empty() || info.formula.empty() || info.when.empty())
        << info.tag;
    EXPECT_GT(info.units_per_display, 0u) << info.tag;
  }
}

// Readers of AIPerf's files look these up by name and unit.
TEST(MetricTable, UsesAiperfsNamesAndUnits) {
  const struct {
    const char* tag;
    const char* column;
  } kAiperf[] = {
      {"time_to_first_token", "Time to First Token (ms)"},
      {"time_to_second_token", "Time to Second Token (ms)"},
      {"time_to_first_output_token", "Time to First Output Token (ms)"},
      {"request_latency", "Request Latency (ms)"},
      {"inter_token_latency", "Inter Token Latency (ms)"},
      {"inter_chunk_latency", "Inter Chunk Latency (ms)"},
      {"output_token_throughput_per_user", "Output Token Throughput Per User (tokens/sec/user)"},
      {"input_sequence_length", "Input Sequence Length (tokens)"},
      {"output_sequence_length", "Output Sequence Length (tokens)"},
      {"effective_latency", "Effective Latency (CO-aware) (ms)"},
  };
  for (const auto& aiperf : kAiperf) {
    const std::optional<Metric> metric = MetricByTag(aiperf.tag);
    ASSERT_TRUE(metric.has_value()) << aiperf.tag;
    const MetricInfo& info = InfoOf(*metric);
    EXPECT_EQ(std::string(info.display_name) + " (" + std::string(info.unit) + ")", aiperf.column);
  }
}

TEST(MetricTable, KnowsWhatOnlyStreamingHas) {
  std::set<std::string> streaming;
  for (const MetricInfo& info : MetricTable()) {
    if (info.streaming_only) streaming.insert(std::string(info.tag));
  }
  EXPECT_EQ(streaming,
            (std::set<std::string>{"inter_chunk_latency", "inter_token_latency",
                                   "output_token_throughput_per_user", "time_to_first_event",
                                   "time_to_first_output_token", "time_to_first_token",
                                   "time_to_second_token", "tokens_per_chunk"}));
}

TEST(MetricTable, PrefersLargerOnlyForThroughput) {
  for (const MetricInfo& info : MetricTable()) {
    EXPECT_EQ(info.larger_is_better, info.metric == Metric::kOutputTokenThroughputPerUser)
        << info.tag;
  }
}

TEST(MetricTable, ShowsMicrosecondsAsMilliseconds) {
  EXPECT_DOUBLE_EQ(ToDisplay(Metric::kTimeToFirstToken, 12'345), 12.345);
  EXPECT_EQ(FromDisplay(Metric::kTimeToFirstToken, 12.345), 12'345u);
}

TEST(MetricTable, ShowsTokensAsTheyAreAndShareOfTokensInThousandths) {
  EXPECT_DOUBLE_EQ(ToDisplay(Metric::kOutputSequenceLength, 256), 256);
  EXPECT_DOUBLE_EQ(ToDisplay(Metric::kTokensPerChunk, 1'500), 1.5);
  EXPECT_DOUBLE_EQ(ToDisplay(Metric::kOutputTokenThroughputPerUser, 41'300), 41.3);
}

TEST(MetricTable, RoundsToTheNearestUnit) {
  EXPECT_EQ(FromDisplay(Metric::kRequestLatency, 1.0004), 1'000u);
  EXPECT_EQ(FromDisplay(Metric::kRequestLatency, 1.0006), 1'001u);
}

TEST(MetricTable, KeepsWhatCannotBeRecordedWithinRange) {
  EXPECT_EQ(FromDisplay(Metric::kRequestLatency, -1), 0u);
  EXPECT_EQ(FromDisplay(Metric::kRequestLatency, std::nan("")), 0u);
  EXPECT_EQ(FromDisplay(Metric::kRequestLatency, INFINITY), Histogram::kMaxRecordable);
}

}  // namespace
}  // namespace tidemark
