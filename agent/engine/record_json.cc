#include "agent/engine/record_json.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "agent/core/recorder.h"
#include "agent/endpoint/json_text.h"
#include "common/measurement/metric_table.h"

namespace tidemark {
namespace {

void AppendString(absl::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonEscaped(text, out);
  out->push_back('"');
}

// `fixed` / `scale` as a decimal number without rounding; scale is a power of ten up to 1,000.
void AppendFixed(uint64_t fixed, uint32_t scale, std::string* out) {
  absl::StrAppend(out, fixed / scale);
  uint64_t rest = fixed % scale;
  if (rest == 0) return;
  out->push_back('.');
  for (uint32_t digit = scale / 10; rest > 0 && digit > 0; digit /= 10) {
    out->push_back(static_cast<char>('0' + rest / digit));
    rest %= digit;
  }
}

class MetricsWriter {
 public:
  explicit MetricsWriter(std::string* out) : out_(out) {}

  void Add(absl::string_view tag, std::optional<uint64_t> fixed, uint32_t scale,
           absl::string_view unit) {
    if (!fixed) return;
    Open(tag);
    AppendFixed(*fixed, scale, out_);
    Close(unit);
  }
  void Add(const RequestRecord& record, Metric metric) {
    const MetricInfo& info = InfoOf(metric);
    Add(info.tag, MetricValue(record, metric), info.units_per_display, info.unit);
  }
  void AddGaps(const RequestRecord& record) {
    if (record.chunk_gaps_us.empty()) return;
    const MetricInfo& info = InfoOf(Metric::kInterChunkLatency);
    Open(info.tag);
    out_->push_back('[');
    for (size_t i = 0; i < record.chunk_gaps_us.size(); ++i) {
      if (i > 0) out_->push_back(',');
      AppendFixed(record.chunk_gaps_us[i], info.units_per_display, out_);
    }
    out_->push_back(']');
    Close(info.unit);
  }

 private:
  void Open(absl::string_view tag) {
    absl::StrAppend(out_, first_ ? "\"" : ",\"", tag, "\":{\"value\":");
    first_ = false;
  }
  void Close(absl::string_view unit) { absl::StrAppend(out_, ",\"unit\":\"", unit, "\"}"); }

  std::string* out_;
  bool first_ = true;
};

void AppendMetrics(const RequestRecord& record, std::string* out) {
  MetricsWriter writer(out);
  if (record.ok()) {
    for (const MetricInfo& info : MetricTable()) {
      if (info.metric != Metric::kInterChunkLatency) writer.Add(record, info.metric);
    }
    writer.AddGaps(record);
  }
  writer.Add("usage_prompt_tokens", record.usage_prompt_tokens, 1, "tokens");
  writer.Add("usage_completion_tokens", record.usage_completion_tokens, 1, "tokens");
  writer.Add("usage_prompt_cache_read_tokens", record.usage_cached_tokens, 1, "tokens");
  writer.Add("usage_reasoning_tokens", record.usage_reasoning_tokens, 1, "tokens");
  writer.Add("http_req_chunks_received", record.token_events, 1, "count");
  writer.Add("http_req_connection_reused", record.connection_reused ? 1 : 0, 1, "ratio");
}

void AppendTime(absl::string_view name, int64_t point, const RecordContext& context,
                std::string* out) {
  absl::StrAppend(out, ",\"", name, "\":");
  if (point == kNoTime) {
    out->append("null");
  } else {
    absl::StrAppend(out, point + context.wall_minus_mono);
  }
}

void AppendMetadata(const RequestRecord& record, const RecordContext& context, std::string* out) {
  absl::StrAppend(out, "{\"session_num\":", record.index, ",\"x_request_id\":");
  AppendString(absl::StrCat(context.id_prefix, "-", record.index), out);
  out->append(",\"conversation_id\":");
  AppendString(absl::StrCat(context.id_prefix, "-", record.index), out);
  out->append(",\"turn_index\":0");
  AppendTime("credit_issued_ns", record.planned != kNoTime ? record.planned : record.sent, context,
             out);
  AppendTime("request_start_ns", record.sent, context, out);
  AppendTime("request_ack_ns", record.first_byte, context, out);
  AppendTime("request_end_ns", record.ended, context, out);
  out->append(",\"worker_id\":");
  AppendString(context.worker_id, out);
  absl::StrAppend(out, ",\"benchmark_phase\":\"profiling\",\"was_cancelled\":",
                  record.outcome == Outcome::kCancelled ? "true" : "false",
                  ",\"slot\":", record.slot, ",\"address\":");
  AppendString(record.address, out);
  out->push_back('}');
}

void AppendError(const RequestRecord& record, std::string* out) {
  if (record.outcome != Outcome::kFailed && record.outcome != Outcome::kCancelled) {
    out->append("null");
    return;
  }
  const bool cancelled = record.outcome == Outcome::kCancelled;
  absl::StrAppend(out, "{\"code\":", record.status == 0 ? "null" : absl::StrCat(record.status),
                  ",\"type\":");
  AppendString(cancelled ? "cancelled" : FailureClassName(record.failure, record.status), out);
  out->append(",\"message\":");
  AppendString(record.excerpt, out);
  out->push_back('}');
}

}  // namespace

void AppendRecordJson(const RequestRecord& record, const RecordContext& context, std::string* out) {
  out->append("{\"metadata\":");
  AppendMetadata(record, context, out);
  out->append(",\"metrics\":{");
  AppendMetrics(record, out);
  out->append("},\"error\":");
  AppendError(record, out);
  out->append("}\n");
}

}  // namespace tidemark
