#ifndef TIDEMARK_AGENT_ENGINE_LOOP_WORKER_H_
#define TIDEMARK_AGENT_ENGINE_LOOP_WORKER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/core/recorder.h"
#include "agent/engine/record_sink.h"
#include "agent/engine/request_slot.h"
#include "agent/workload/prompts.h"

namespace tidemark {

// What a worker tells, on its loop's thread.
class WorkerEvents {
 public:
  virtual ~WorkerEvents() = default;
  virtual void OnStarted(int64_t skew_ns) = 0;
  // Each slot has ended one request, or the deadline has passed; the latencies of those that
  // succeeded.
  virtual void OnWarm(bool deadline_passed, uint64_t latency_sum_us, uint64_t latency_count) = 0;
  virtual void OnMeasuring() = 0;  // MEASURE has reached the worker
  virtual void OnShareDone() = 0;
  virtual void OnFacts(MeasuredFacts facts) = 0;
  virtual void OnStopped() = 0;  // nothing is in flight any more
};

struct WorkerOptions {
  LevelTask task;                                       // with this loop's share
  uint32_t total_slots = 1;                             // of the level: N
  std::vector<std::vector<std::string>> addresses;      // by target; as the transport has them
  const std::atomic<int64_t>* send_deadline = nullptr;  // CLOCK_MONOTONIC ns (the lease)
  RecordSink* records = nullptr;                        // may be null
  Redactor redactor;                                    // of the endpoint's secrets
};

// One loop's part of a level, through its phases: RAMP, WARM, MEASURE, fill, STOP
// (agent_session.proto). All on one thread; what it is given outlives it.
//
// Each slot sends its next request as soon as its last has ended, with two exceptions. When a
// request fails before any byte came, the slot waits 10 ms, doubled with each such failure in a row
// up to 1 s: a refused connection must not make a busy loop; meanwhile the slot is idle and counts
// so in effective_concurrency, but the window's backoff_ns says that it was not for the generator. And past the send deadline nothing is sent.
//
// Targets (URLs) and their addresses are given to the slots in turn, by global slot: a slot has the same
// one for all its requests, so that it keeps its connection and no TTFT holds another's set-up.
class LoopWorker final : public RequestSlot::Owner {
 public:
  static constexpr int64_t kFactsEvery = 1'000'000'000;
  static constexpr int64_t kFirstBackoff = 10'000'000;
  static constexpr int64_t kLongestBackoff = 1'000'000'000;
  static constexpr int64_t kLeaseLook = 20'000'000;
  // T1 is waited for this long once all measured requests have ended (all slots may be backing
  // off).
  static constexpr int64_t kWindowEndWait = 2'000'000'000;

  LoopWorker(WorkerOptions options, EventLoop* loop, Transport* transport, EndpointAdapter* adapter,
             WorkerEvents* events);
  ~LoopWorker() override;

  void Arm(int64_t start, int64_t slice_origin);
  void Measure(int64_t start);
  void Stop(int64_t drain_ns);
  void Cancel();

  const Recorder& recorder() const { return *recorder_; }
  bool share_done() const { return share_done_; }
  const Histogram& send_lateness_us() const { return send_lateness_us_; }
  const Histogram& slot_turnaround_us() const { return slot_turnaround_us_; }

 private:
  enum class Phase { kIdle, kRunning, kMeasuring, kStopping, kStopped };
  struct SlotState {
    uint64_t sent = 0;  // requests of this slot so far
    int64_t free_since = kNoTime;
    int64_t wanted = kNoTime;  // when its next request should go, where that was planned
    int64_t backoff = 0;
    bool backing_off = false;
    bool warm = false;      // has ended one request
    bool reported = false;  // the recorder knows of the end of its present request
  };

  void OnRequestEnded(RequestSlot& slot) override;

  int64_t RampStart(int64_t start, uint32_t slot) const;
  void StartAt(RequestSlot& slot, int64_t when);
  void StartRequest(RequestSlot& slot);
  void LaunchToItsTarget(RequestSlot& slot);
  bool HeldByLease(RequestSlot& slot, int64_t now);
  bool TakeMeasured(int64_t now);
  void FillRequest(RequestSlot& slot, bool measured);
  void NoteTimes(const RequestSlot& slot, int64_t now);
  void MoveWindow(int64_t now, bool measured);
  void LeaveIdle(int64_t now);
  bool WindowExpected() const;
  std::vector<RequestRecord*> InFlight();
  void ReportEnd(RequestSlot& slot);
  void NoteWarm(RequestSlot& slot);
  void SignalWarm(bool deadline_passed);
  void StartNext(RequestSlot& slot);
  void BackOff(RequestSlot& slot);
  void EndBackoff(RequestSlot& slot);
  void CloseShare();
  void CheckShareDone();
  void SignalShareDone();
  void EndOpen(bool measured_too);
  void CheckStopped();
  void SendFacts();

  const WorkerOptions options_;
  const LevelPlan& plan_;
  const Share& share_;
  EventLoop* const loop_;
  EndpointAdapter* const adapter_;
  WorkerEvents* const events_;
  const PromptSource prompts_;
  std::unique_ptr<Recorder> recorder_;
  std::vector<std::unique_ptr<RequestSlot>> slots_;
  std::vector<SlotState> states_;
  std::vector<RequestSlot*> held_;  // by the lease
  std::string prompt_;

  Phase phase_ = Phase::kIdle;
  int64_t measure_start_ = kNoTime;
  int64_t window_begin_ = kNoTime;
  uint64_t measured_started_ = 0;
  uint64_t measured_open_ = 0;
  uint32_t open_ = 0;
  uint32_t warm_slots_ = 0;
  uint64_t warm_latency_sum_us_ = 0, warm_latency_count_ = 0;
  bool warm_signalled_ = false;
  bool share_closed_ = false;  // no further request will be measured
  bool share_done_ = false;
  bool window_wait_armed_ = false;
  Histogram send_lateness_us_, slot_turnaround_us_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_LOOP_WORKER_H_
