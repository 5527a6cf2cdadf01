#include "cli/selftest_trial.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/measurement/facts.h"
#include "common/mutex.h"

namespace tidemark {
namespace {

constexpr int64_t kPatience = 10 * kNanosPerSecond;
constexpr double kMicrosPerMilli = 1e3;
constexpr uint64_t kManyRequests = uint64_t{1} << 40;  // the window's end closes the share

// What the engine has told so far; the engine's events keep it. Thread-safe.
class Course {
 public:
  enum Step { kNothing, kReady, kWarm, kShareDone, kStopped };

  static EngineEvents EventsFor(const std::shared_ptr<Course>& course) {
    EngineEvents events;
    events.ready = [course](const absl::Status& status, const std::vector<std::string>&) { course->TakeReady(status); };
    events.started = [](int64_t) {};
    events.warm = [course](bool, uint64_t) { course->Take(kWarm); };
    events.share_done = [course] { course->Take(kShareDone); };
    events.facts = [course](const MeasuredFacts& facts) { course->TakeFacts(facts); };
    events.stopped = [course](FinalSnapshot snapshot) { course->TakeEnd(std::move(snapshot)); };
    return events;
  }

  absl::Status WaitFor(Step step, int64_t deadline, const Clock& clock) {
    MutexLock lock(mutex_);
    while (step_ < step && refusal_.ok()) {
      const int64_t left = deadline - clock.MonotonicNanos();
      if (left <= 0) return absl::DeadlineExceededError("the engine did not end a level of the selftest in time");
      changed_.WaitFor(mutex_, left);
    }
    return refusal_;
  }
  MeasuredFacts facts() {
    MutexLock lock(mutex_);
    return facts_;
  }
  FinalSnapshot snapshot() {
    MutexLock lock(mutex_);
    return snapshot_;
  }

 private:
  void TakeReady(const absl::Status& status) {
    MutexLock lock(mutex_);
    refusal_ = status;
    Reach(kReady);
  }
  void TakeFacts(const MeasuredFacts& facts) {
    MutexLock lock(mutex_);
    facts_.Merge(facts);
  }
  void TakeEnd(FinalSnapshot snapshot) {
    MutexLock lock(mutex_);
    snapshot_ = std::move(snapshot);
    Reach(kStopped);
  }
  void Take(Step step) {
    MutexLock lock(mutex_);
    Reach(step);
  }
  void Reach(Step step) TIDEMARK_REQUIRES(mutex_) {
    step_ = std::max(step_, step);
    changed_.NotifyAll();
  }

  Mutex mutex_;
  CondVar changed_;
  Step step_ TIDEMARK_GUARDED_BY(mutex_) = kNothing;
  absl::Status refusal_ TIDEMARK_GUARDED_BY(mutex_);
  MeasuredFacts facts_ TIDEMARK_GUARDED_BY(mutex_);
  FinalSnapshot snapshot_ TIDEMARK_GUARDED_BY(mutex_);
};

int64_t RequestNanos(const TrialPlan& plan) {
  return static_cast<int64_t>(plan.schedule.RequestMs() * kNanosPerMilli);
}

LevelTask TaskOf(const TrialPlan& plan) {
  LevelTask task;
  task.key = {"selftest", 0, 1};
  task.endpoint.urls = {plan.url};
  task.endpoint.model = "null";
  task.workload.output.mean = plan.schedule.events;
  task.workload.nonce = "selftest";
  task.plan.concurrency = task.share.slots = plan.streams;
  task.plan.request_count = task.share.requests = kManyRequests;
  task.plan.window_cap_ns = static_cast<uint64_t>(plan.window_ns);
  task.plan.ramp_ns = static_cast<uint64_t>(RequestNanos(plan));
  task.plan.warmup_deadline_ns = static_cast<uint64_t>(3 * RequestNanos(plan) + kPatience);
  task.plan.slice_ns = kNanosPerSecond;
  task.plan.record_one_in = 0;
  return task;
}

SelftestTrial TrialOf(const TrialPlan& plan, const MeasuredFacts& facts, const FinalSnapshot& end) {
  const SelfCheckFacts& self = end.self_check;
  SelftestTrial trial;
  trial.streams = plan.streams;
  trial.failures = facts.measured.failed;
  trial.in_flight = end.windows.empty() ? 0 : 1;
  for (const WindowFacts& window : end.windows) {
    const double width = std::max<double>(1, static_cast<double>(window.width_ns));
    trial.events_per_second += static_cast<double>(window.output_millitokens) / 1e3 / width * kNanosPerSecond;
    trial.in_flight = std::min(trial.in_flight, static_cast<double>(window.in_flight_integral_ns) / width / window.slots);
  }
  trial.stamped = !self.reader_delay_us.empty();
  trial.reader_delay_p99_ms =
      (trial.stamped ? self.reader_delay_us : self.loop_lag_us).Quantile(0.99) / kMicrosPerMilli;
  trial.send_lateness_p99_ms =
      std::max(self.send_lateness_us.Quantile(0.99), self.slot_turnaround_us.Quantile(0.99)) / kMicrosPerMilli;
  trial.latency_ms = facts.histogram(Metric::kRequestLatency).Mean() / kMicrosPerMilli;
  trial.due_latency_ms = plan.schedule.RequestMs();
  trial.loop_cpu = self.wall_ns == 0 ? 0 : static_cast<double>(self.loop_cpu_ns) / static_cast<double>(self.wall_ns);
  return trial;
}

}  // namespace

int64_t TrialNanos(const TrialPlan& plan) { return 3 * RequestNanos(plan) + plan.window_ns; }

absl::StatusOr<SelftestTrial> RunTrial(Engine& engine, const TrialPlan& plan, const Clock& clock) {
  const int64_t deadline = clock.MonotonicNanos() + TrialNanos(plan) + kPatience;
  const auto course = std::make_shared<Course>();
  engine.Prepare(TaskOf(plan), Course::EventsFor(course));
  absl::Status status = course->WaitFor(Course::kReady, deadline, clock);
  if (status.ok()) {
    engine.Arm(clock.MonotonicNanos(), clock.MonotonicNanos());
    status = course->WaitFor(Course::kWarm, deadline, clock);
  }
  if (status.ok()) {
    engine.Measure(clock.MonotonicNanos());
    status = course->WaitFor(Course::kShareDone, deadline, clock);
  }
  engine.Stop(0);
  const absl::Status stopped = course->WaitFor(Course::kStopped, deadline + kPatience, clock);
  if (status.ok()) status = stopped;
  if (!status.ok()) return status;
  return TrialOf(plan, course->facts(), course->snapshot());
}

}  // namespace tidemark
