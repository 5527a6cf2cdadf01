#ifndef TIDEMARK_AGENT_CORE_RECORDER_H_
#define TIDEMARK_AGENT_CORE_RECORDER_H_

#include <cstdint>
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

// Turns the requests of one event loop into mergeable facts. It owns the window [T0, T1) of its loop:
// T0 is the first measured start, T1 the first start after the share. Single-threaded (owned by a
// loop); its results are plain values that move to another thread.
//
// Splitting a stream of records over several recorders and merging their facts gives the same bytes
// as one recorder.
class Recorder {
 public:
  explicit Recorder(RecorderOptions options);

  // A request was sent (record.sent is set). Call BeginWindow / EndWindow first when this start is
  // the one that begins or ends the window.
  void OnSend(const RequestRecord& record);

  // `now` is the sent time of the first measured request. `in_flight` are the records under way,
  // without that request; their token_events_before_window are set here.
  void BeginWindow(int64_t now, absl::Span<RequestRecord* const> in_flight);

  // `now` is the sent time of the first start after the share (or when the first slot was left idle).
  void EndWindow(int64_t now, absl::Span<RequestRecord* const> in_flight);

  // A request ended: outcome and record.ended are set.
  void OnEnd(const RequestRecord& record);

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
  void Integrate(int64_t now);
  void RecordSuccess(const RequestRecord& record);
  void RecordFailure(const RequestRecord& record);
  void RecordSlice(const RequestRecord& record);
  void CreditTokens(const RequestRecord& record);

  RecorderOptions options_;
  MeasuredFacts facts_;
  OutcomeCounts measured_total_, unmeasured_total_;
  WindowFacts window_;
  bool window_begun_ = false, window_ended_ = false;
  int64_t t0_ = kNoTime, t1_ = kNoTime;
  uint64_t in_flight_ = 0;
  int64_t integrated_until_ = kNoTime;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_CORE_RECORDER_H_
