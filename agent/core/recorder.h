#ifndef TIDEMARK_AGENT_CORE_RECORDER_H_
#define TIDEMARK_AGENT_CORE_RECORDER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "agent/core/request_record.h"
#include "common/job/level_task.h"
#include "common/measurement/facts.h"

namespace tidemark {

// True when `value` meets the objective.
bool Meets(const SlaThreshold& sla, uint64_t value);

struct RecorderOptions {
  uint32_t slots = 0;               // of this loop
  std::vector<SlaThreshold> slas;
  int64_t slice_origin = 0;         // CLOCK_MONOTONIC ns of slice 0 on this agent
  int64_t slice_width = 1'000'000;  // ns
};

// The value of one request that an objective on `metric` is held against; for inter_chunk_latency its
// largest gap. Nothing when the request has no such value.
std::optional<uint64_t> MetricValue(const RequestRecord& record, Metric metric);

// Turns the requests of one event loop into mergeable facts. It owns the window [T0, T1) of its loop:
// T0 is the first measured start, T1 the first start after the share. Single-threaded (owned by a
// loop); its results are plain values that move to another thread.
//
// Splitting a stream of records over several recorders and merging their facts gives the same bytes
// as one recorder. Counters of reads and connections and the sent tokens are of all requests, all else
// of the measured ones.
class Recorder {
 public:
  explicit Recorder(RecorderOptions options);

  // A request was sent (record.sent is set). Call BeginWindow / EndWindow first when this start is
  // the one that begins or ends the window.
  void OnSend(const RequestRecord& record);

  // `now` is the sent time of the first measured request. `in_flight` are the records under way,
  // without that request; their token_events_before_window are set here. Only the first call counts.
  void BeginWindow(int64_t now, absl::Span<RequestRecord* const> in_flight);

  // `now` is the sent time of the first start after the share (or when the first slot was left idle).
  // `in_flight` as above. Only the first call after BeginWindow counts.
  void EndWindow(int64_t now, absl::Span<RequestRecord* const> in_flight);

  // A request ended: outcome and record.ended are set. Each request once, after its OnSend. Times may
  // be a little out of order (kernel stamps): the sums do not depend on the order.
  void OnEnd(const RequestRecord& record);

  // A slot begins (ends) to back off at `at`: it is idle because the endpoint did not answer, not because
  // the generator is slow. One that never ends backs off to T1.
  void OnBackoffBegin(int64_t at);
  void OnBackoffEnd(int64_t at);

  uint64_t in_flight() const { return in_flight_; }

  // Facts since the last call (in_flight_now is the level now). Cheap when there are none.
  MeasuredFacts TakeFacts();

  // Totals since the start: equal to the sum of what TakeFacts gave and will give.
  const OutcomeCounts& measured() const { return measured_total_; }
  const OutcomeCounts& unmeasured() const { return unmeasured_total_; }

  // REQUIRES for meaning: all requests have ended.
  const WindowFacts& window() const { return window_; }
  bool window_open() const { return window_begun_ && !window_ended_; }

 private:
  struct CreditedEvents {
    uint64_t begin = 0, end = 0;  // token events [begin, end) of the request lie in the window
  };

  SliceRow& SliceOf(const RequestRecord& record);
  void RecordSuccess(const RequestRecord& record);
  void RecordFailure(const RequestRecord& record);
  void RecordSlice(const RequestRecord& record);
  void RecordAddress(const RequestRecord& record);
  void RecordWire(const RequestRecord& record);
  void CountSojourn(const RequestRecord& record);
  CreditedEvents EventsInWindow(const RequestRecord& record) const;
  void CreditTokens(const RequestRecord& record);
  void CreditStream(const RequestRecord& record);

  const RecorderOptions options_;
  MeasuredFacts facts_;
  OutcomeCounts measured_total_, unmeasured_total_;
  WindowFacts window_;
  bool window_begun_ = false, window_ended_ = false;
  int64_t t0_ = kNoTime, t1_ = kNoTime;
  uint64_t in_flight_ = 0;
  // How many are under way, over the window, as a sum over its starts and ends that no order can change:
  // integral = level(T0) * W + sum over starts of (T1 - t) - sum over ends of (T1 - t).
  struct LevelInWindow {
    uint64_t at_begin = 0;
    int64_t net_starts = 0;          // starts minus ends in the window
    __int128 net_start_offsets = 0;  // sum of (t - T0) of its starts minus that of its ends, ns

    void Start(int64_t offset);
    void End(int64_t offset);
    uint64_t Integral(uint64_t width) const;
  };
  LevelInWindow requests_, backoffs_;
  uint64_t backing_off_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_CORE_RECORDER_H_
