#include "cli/selftest_search.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tidemark {
namespace {

constexpr double kLateMs = 1;
constexpr double kInFlight = 0.98;
constexpr double kEndpointLate = 1.05;
constexpr uint32_t kLeastStreams = 8;

}  // namespace

std::string WhyNotDriven(const SelftestTrial& trial) {
  if (trial.failures > 0) return absl::StrCat(trial.failures, " requests failed");
  if (!(trial.reader_delay_p99_ms < kLateMs)) {
    return absl::StrFormat("%s %.2f ms late at p99", trial.stamped ? "read" : "woke", trial.reader_delay_p99_ms);
  }
  if (!(trial.send_lateness_p99_ms < kLateMs)) return absl::StrFormat("sent %.2f ms late at p99", trial.send_lateness_p99_ms);
  if (!(trial.in_flight >= kInFlight)) return absl::StrFormat("kept only %.1f %% in flight", trial.in_flight * 100);
  if (!(trial.latency_ms <= kEndpointLate * trial.due_latency_ms)) {
    return absl::StrFormat("the null endpoint was late itself (requests took %.0f ms of %.0f)", trial.latency_ms,
                           trial.due_latency_ms);
  }
  return "";
}

std::optional<uint32_t> SelftestSearch::Next() const {
  if (!too_many_) {
    if (driven_ >= options_.most) return std::nullopt;
    if (driven_ == 0) return std::min(options_.start, options_.most);
    return driven_ > options_.most / 2 ? options_.most : driven_ * 2;
  }
  if (driven_ == 0) {
    if (*too_many_ <= kLeastStreams) return std::nullopt;
    return std::max(kLeastStreams, *too_many_ / 4);
  }
  const uint32_t gap = *too_many_ - driven_;
  if (gap <= 1 || gap < options_.precision * *too_many_) return std::nullopt;
  return driven_ + gap / 2;
}

void SelftestSearch::Take(bool driven) {
  const std::optional<uint32_t> streams = Next();
  if (!streams) return;
  if (driven) {
    driven_ = *streams;
    failed_ = 0;
  } else if (++failed_ >= options_.tries) {
    too_many_ = *streams;
    failed_ = 0;
  }
}

}  // namespace tidemark
