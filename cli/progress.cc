#include "cli/progress.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "coordinator/core/job_spec/estimate.h"
#include "coordinator/report/format.h"

namespace tidemark {
namespace {

constexpr char kSeparator[] = " · ";

std::string Count(uint64_t count) { return CountText(static_cast<double>(count)); }

std::string Millis(double millis) {
  return millis < 100 ? absl::StrFormat("%.1f ms", millis)
                      : absl::StrCat(CountText(millis), " ms");
}

std::optional<double> QuantileOf(const v1::LevelResult& level, absl::string_view tag, double p) {
  for (const v1::MetricStatistics& metric : level.metrics()) {
    if (metric.tag() != tag || metric.count() == 0) continue;
    for (const v1::Quantile& quantile : metric.quantiles()) {
      if (quantile.p() > p - 1e-6 && quantile.p() < p + 1e-6) return quantile.value();
    }
  }
  return std::nullopt;
}

struct VerdictText {
  const char* text;
  Paint paint;
};

VerdictText TextOf(const v1::LevelResult& level) {
  if (level.validity() == v1::VALIDITY_INVALID) return {"INVALID", Paint::kYellow};
  switch (level.verdict()) {
    case v1::PASS: return {"PASS", Paint::kGreen};
    case v1::FAIL: return {"FAIL", Paint::kRed};
    case v1::INCONCLUSIVE: return {"INCONCLUSIVE", Paint::kYellow};
    case v1::INVALID: return {"INVALID", Paint::kYellow};
    default: return {"done", Paint::kNone};
  }
}

uint64_t FailedOf(const v1::OutcomeCounts& counts) { return counts.failed(); }

}  // namespace

std::string RenderProgress(const LiveProgress& progress, int width) {
  std::vector<std::string> parts;
  parts.push_back(progress.levels_planned > 0
                      ? absl::StrCat("level ", progress.level_number, " of ", progress.levels_planned)
                      : absl::StrCat("level ", progress.level_number));
  parts.push_back(absl::StrCat("concurrency ", Count(progress.concurrency)));
  if (!progress.phase.empty()) parts.push_back(progress.phase);
  parts.push_back(absl::StrCat(Count(progress.in_flight), " in flight"));
  parts.push_back(absl::StrCat(Count(progress.done), "/", Count(progress.planned)));
  if (progress.failed > 0) parts.push_back(absl::StrCat(Count(progress.failed), " failed"));
  if (progress.tokens_per_second) {
    parts.push_back(absl::StrCat(CountText(*progress.tokens_per_second), " tok/s"));
  }
  if (progress.p99_ms) parts.push_back(absl::StrCat("p99 ", Millis(*progress.p99_ms)));
  if (progress.seconds_left) {
    parts.push_back(absl::StrCat(DurationText(*progress.seconds_left), " left"));
  }
  return CutToWidth(absl::StrJoin(parts, kSeparator), width);
}

std::string RenderLevel(const v1::LevelResult& level, const Terminal& terminal) {
  const VerdictText verdict = TextOf(level);
  std::vector<std::string> parts;
  parts.push_back(absl::StrCat("concurrency ", absl::StrFormat("%4d", level.concurrency()), "  ",
                               Painted(verdict.text, verdict.paint, terminal.color)));
  const uint64_t failed = FailedOf(level.measured());
  parts.push_back(absl::StrCat(Count(level.measured().ok() + failed), " requests",
                               failed > 0 ? absl::StrCat(", ", Count(failed), " failed") : ""));
  if (level.has_output_token_throughput()) {
    parts.push_back(absl::StrCat(CountText(level.output_token_throughput()), " tok/s"));
  }
  if (const auto ttft = QuantileOf(level, "time_to_first_token", 0.95)) {
    parts.push_back(absl::StrCat("TTFT p95 ", Millis(*ttft)));
  }
  if (const auto latency = QuantileOf(level, "request_latency", 0.99)) {
    parts.push_back(absl::StrCat("latency p99 ", Millis(*latency)));
  }
  if (level.has_benchmark_duration_s()) {
    parts.push_back(DurationText(level.benchmark_duration_s()));
  }
  std::string line = absl::StrJoin(parts, kSeparator);
  if (!level.verdict_reason().empty()) absl::StrAppend(&line, kSeparator, OneLine(level.verdict_reason()));
  return line;
}

void ProgressView::Show(const LiveProgress& progress) {
  if (!terminal_.interactive) return;
  MutexLock lock(mutex_);
  live_ = RenderProgress(progress, terminal_.width - 1);  // the last column would wrap on some
  out_ << '\r' << live_ << "\x1b[K" << std::flush;
}

void ProgressView::LevelDone(const v1::LevelResult& level) {
  const std::string line = RenderLevel(level, terminal_);
  MutexLock lock(mutex_);
  live_.clear();
  PrintAbove(line);
}

void ProgressView::Say(absl::string_view line) {
  MutexLock lock(mutex_);
  PrintAbove(OneLine(line));
}

void ProgressView::Finish() {
  MutexLock lock(mutex_);
  Erase();
  live_.clear();
  out_ << std::flush;
}

void ProgressView::PrintAbove(absl::string_view line) {
  Erase();
  out_ << std::string(line) << '\n' << live_ << std::flush;
}

void ProgressView::Erase() {
  if (terminal_.interactive) out_ << "\r\x1b[K";
}

}  // namespace tidemark
