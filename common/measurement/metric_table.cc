#include "common/measurement/metric_table.h"

#include <array>
#include <cmath>

#include "common/measurement/histogram.h"

namespace tidemark {
namespace {

constexpr uint32_t kMicrosPerMilli = 1'000;
constexpr uint32_t kThousandths = 1'000;

// A time: recorded in us, shown in ms.
constexpr MetricInfo Time(Metric metric, absl::string_view tag, absl::string_view name,
                          bool streaming_only, absl::string_view formula, absl::string_view when) {
  return {metric, tag, name, "ms", kMicrosPerMilli, streaming_only, false, formula, when};
}

constexpr MetricInfo Tokens(Metric metric, absl::string_view tag, absl::string_view name,
                            absl::string_view formula) {
  return {metric, tag, name, "tokens", 1, false, false, formula, "success"};
}

constexpr std::array<MetricInfo, kMetricCount> kTable = {
    Time(Metric::kTimeToFirstToken, "time_to_first_token", "Time to First Token", true,
         "first_token - sent", "streaming"),
    Time(Metric::kTimeToSecondToken, "time_to_second_token", "Time to Second Token", true,
         "second token event - first token event", "2 token events or more"),
    Time(Metric::kTimeToFirstOutputToken, "time_to_first_output_token",
         "Time to First Output Token", true, "first_output_token - sent", "an output token came"),
    Time(Metric::kTimeToFirstEvent, "time_to_first_event", "Time to First Event", true,
         "first_event - sent", "streaming"),
    Time(Metric::kRequestLatency, "request_latency", "Request Latency", false,
         "last_token - sent; not streaming: ended - sent", "success"),
    Time(Metric::kInterTokenLatency, "inter_token_latency", "Inter Token Latency", true,
         "(request_latency - time_to_first_token) / (output_sequence_length - 1)",
         "2 output tokens or more"),
    Time(Metric::kInterChunkLatency, "inter_chunk_latency", "Inter Chunk Latency", true,
         "each gap between token events of different reads", "2 reads or more"),
    {Metric::kTokensPerChunk, "tokens_per_chunk", "Tokens per Chunk", "tokens", kThousandths, true,
     false, "output_sequence_length / token events", "success"},
    {Metric::kOutputTokenThroughputPerUser, "output_token_throughput_per_user",
     "Output Token Throughput Per User", "tokens/sec/user", kThousandths, true, true,
     "1 / inter_token_latency", "2 output tokens or more and inter_token_latency above 0"},
    Tokens(Metric::kInputSequenceLength, "input_sequence_length", "Input Sequence Length",
           "input tokens"),
    Tokens(Metric::kOutputSequenceLength, "output_sequence_length", "Output Sequence Length",
           "output tokens, reasoning included"),
    Tokens(Metric::kReasoningTokenCount, "reasoning_token_count", "Reasoning Token Count",
           "reasoning tokens"),
    Time(Metric::kScheduleDelay, "schedule_delay", "Schedule Delay", false, "sent - planned",
         "rate modes"),
    Time(Metric::kEffectiveLatency, "effective_latency", "Effective Latency (CO-aware)", false,
         "last_token - planned; not streaming: ended - planned", "rate modes"),
    Time(Metric::kConnectTime, "connect_time", "Connect Time", false, "connected - sent",
         "new connections"),
    Time(Metric::kTlsTime, "tls_time", "TLS Time", false, "tls_done - connected",
         "new connections with TLS"),
    Time(Metric::kTimeToFirstByte, "time_to_first_byte", "Time to First Byte", false,
         "first_byte - sent", "a byte came"),
};

constexpr bool InEnumOrder() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].metric != static_cast<Metric>(i)) return false;
  }
  return true;
}
static_assert(InEnumOrder());

}  // namespace

absl::Span<const MetricInfo> MetricTable() { return kTable; }

const MetricInfo& InfoOf(Metric metric) { return kTable[static_cast<size_t>(metric)]; }

std::optional<Metric> MetricByTag(absl::string_view tag) {
  for (const MetricInfo& info : kTable) {
    if (info.tag == tag) return info.metric;
  }
  return std::nullopt;
}

double ToDisplay(Metric metric, uint64_t fixed_point) {
  return static_cast<double>(fixed_point) / InfoOf(metric).units_per_display;
}

uint64_t FromDisplay(Metric metric, double displayed) {
  const double fixed_point = std::round(displayed * InfoOf(metric).units_per_display);
  if (!(fixed_point > 0)) return 0;
  if (fixed_point >= static_cast<double>(Histogram::kMaxRecordable)) {
    return Histogram::kMaxRecordable;
  }
  return static_cast<uint64_t>(fixed_point);
}

}  // namespace tidemark
