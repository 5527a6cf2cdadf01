// What the engine costs: one level against a streaming endpoint (tidemark-sim --delay-ms … --itl-ms
// …), with the CPU time, memory and lateness it took.
//   tidemark-sim --listen 127.0.0.1:8900 --delay-ms 100 --itl-ms 20 &
//   engine_bench --url http://127.0.0.1:8900/v1/chat/completions --streams 1000 --requests 3000

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "agent/engine/engine.h"
#include "common/clock/clock.h"
#include "common/mutex.h"

namespace tidemark {
namespace {

struct Settings {
  std::string url, spool_dir;
  uint32_t streams = 1000, loops = 1, output_tokens = 128, input_tokens = 128;
  uint64_t requests = 3000;
  double ramp_s = 2;
  double limit_s = 120;
};

// What the engine has said so far.
class Progress {
 public:
  EngineEvents Events() {
    EngineEvents events;
    events.ready = [this](absl::Status status, std::vector<std::string>) {
      if (!status.ok()) std::printf("not ready: %s\n", std::string(status.message()).c_str());
      Reach(status.ok() ? 1 : 9);
    };
    events.started = [this](int64_t) { Reach(2); };
    events.warm = [this](bool, uint64_t) { Reach(3); };
    events.share_done = [this] { Reach(4); };
    events.facts = [this](MeasuredFacts facts) {
      MutexLock lock(mutex_);
      facts_.Merge(facts);
    };
    events.stopped = [this](FinalSnapshot snapshot) {
      {
        MutexLock lock(mutex_);
        snapshot_ = std::move(snapshot);
      }
      Reach(5);
    };
    return events;
  }

  bool WaitFor(int step, int64_t deadline) {
    MutexLock lock(mutex_);
    while (step_ < step) {
      const int64_t left = deadline - RealClock().MonotonicNanos();
      if (left <= 0) return false;
      changed_.WaitFor(mutex_, left);
    }
    return step_ != 9;
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
  void Reach(int step) {
    MutexLock lock(mutex_);
    step_ = std::max(step_, step);
    changed_.NotifyAll();
  }
  Mutex mutex_;
  CondVar changed_;
  int step_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  MeasuredFacts facts_ TIDEMARK_GUARDED_BY(mutex_);
  FinalSnapshot snapshot_ TIDEMARK_GUARDED_BY(mutex_);
};

LevelTask TaskOf(const Settings& settings) {
  LevelTask task;
  task.key = {"bench", 0, 1};
  task.endpoint.urls = {settings.url};
  task.endpoint.model = "tidemark-sim";
  task.workload.input.mean = settings.input_tokens;
  task.workload.output.mean = settings.output_tokens;
  task.workload.nonce = "bench";
  task.plan.concurrency = task.share.slots = settings.streams;
  task.plan.request_count = task.share.requests = settings.requests;
  task.plan.ramp_ns = static_cast<uint64_t>(settings.ramp_s * kNanosPerSecond);
  task.plan.warmup_deadline_ns = static_cast<uint64_t>(settings.limit_s * kNanosPerSecond);
  return task;
}

uint64_t ResidentKiB() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stoull(line.substr(6));
  }
  return 0;
}

double ProcessCpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void PrintMetric(const MeasuredFacts& facts, Metric metric) {
  const Histogram& h = facts.histogram(metric);
  std::printf("%-28s mean %9.3f  p50 %9.3f  p99 %9.3f ms\n",
              std::string(InfoOf(metric).tag).c_str(), h.Mean() / 1e3, h.Quantile(0.5) / 1e3,
              h.Quantile(0.99) / 1e3);
}

void Print(const Settings& settings, Progress& progress, double cpu_s, uint64_t rss_before,
           uint64_t rss) {
  const MeasuredFacts facts = progress.facts();
  const FinalSnapshot end = progress.snapshot();
  const SelfCheckFacts& check = end.self_check;
  std::printf(
      "measured: sent %lu ok %lu failed %lu cancelled %lu; unmeasured: sent %lu ok %lu failed %lu "
      "cancelled %lu\n",
      end.measured.sent, end.measured.ok, end.measured.failed, end.measured.cancelled,
      end.unmeasured.sent, end.unmeasured.ok, end.unmeasured.failed, end.unmeasured.cancelled);
  for (const auto& failure : facts.failures)
    std::printf("  %s: %lu\n", failure.first.c_str(), failure.second);
  for (const FailureExample& example : facts.examples)
    std::printf("  e.g. %s\n", example.excerpt.c_str());
  for (const WindowFacts& w : end.windows) {
    const double seconds = w.width_ns / 1e9;
    std::printf("window: %s %.3f s, %.1f requests/s, %.0f tokens/s, mean in flight %.2f of %u\n",
                w.has_window ? "yes" : "NO", seconds, w.measured_requests / seconds,
                w.output_millitokens / 1e3 / seconds, w.in_flight_integral_ns / 1e9 / seconds,
                w.slots);
  }
  for (const Metric metric : {Metric::kTimeToFirstToken, Metric::kInterChunkLatency,
                              Metric::kInterTokenLatency, Metric::kRequestLatency}) {
    PrintMetric(facts, metric);
  }
  const double busy = check.wall_ns == 0 ? 0 : 100.0 * check.loop_cpu_ns / check.wall_ns;
  std::printf(
      "loop: %.1f %% of a core; lag p99 %.3f ms; turn-around p99 %.3f ms; run-queue wait %.3f s; "
      "throttled %lu of %lu periods\n",
      busy, check.loop_lag_us.Quantile(0.99) / 1e3, check.slot_turnaround_us.Quantile(0.99) / 1e3,
      check.run_queue_wait_ns / 1e9, check.cgroup_throttled_periods, check.cgroup_periods);
  std::printf("connections %lu, descriptors %lu of %lu, stale %lu, done but open %lu\n",
              check.sockets_opened, check.descriptors_used_max, check.descriptors_limit,
              facts.connection_reused_stale, facts.done_but_open);
  const double reads = static_cast<double>(facts.reads);
  std::printf("CPU %.3f s in all: %.2f us a read of a body (%.0f reads); RSS %.1f KiB a stream\n",
              cpu_s, reads > 0 ? cpu_s * 1e6 / reads : 0, reads,
              static_cast<double>(rss - rss_before) / settings.streams);
  std::printf("records: %lu written, %lu lost, %lu bytes\n", end.records_written, end.records_lost,
              end.records_bytes);
}

int Run(const Settings& settings) {
  const uint64_t rss_before = ResidentKiB();
  EngineOptions options;
  options.loops = settings.loops;
  options.spool_dir = settings.spool_dir;
  Progress progress;
  const std::unique_ptr<Engine> engine = NewCurlEngine(options, &RealClock());
  const int64_t deadline =
      RealClock().MonotonicNanos() + static_cast<int64_t>(settings.limit_s * kNanosPerSecond);
  engine->Prepare(TaskOf(settings), progress.Events());
  if (!progress.WaitFor(1, deadline)) return 1;
  const int64_t start = RealClock().MonotonicNanos() + 10 * kNanosPerMilli;
  engine->Arm(start, start);
  progress.WaitFor(3, deadline);
  const double cpu_before = ProcessCpuSeconds();
  engine->Measure(RealClock().MonotonicNanos());
  progress.WaitFor(4, deadline);
  const double cpu = ProcessCpuSeconds();
  const uint64_t rss = ResidentKiB();
  engine->Stop(0);
  if (!progress.WaitFor(5, deadline + 10 * kNanosPerSecond)) return 1;
  Print(settings, progress, cpu - cpu_before, rss_before, rss);
  return 0;
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) {
  tidemark::Settings settings;
  CLI::App app("What the engine costs, against a streaming endpoint");
  app.add_option("--url", settings.url, "full URL of the chat completions")->required();
  app.add_option("--streams", settings.streams);
  app.add_option("--requests", settings.requests);
  app.add_option("--loops", settings.loops);
  app.add_option("--input-tokens", settings.input_tokens);
  app.add_option("--output-tokens", settings.output_tokens);
  app.add_option("--ramp-s", settings.ramp_s);
  app.add_option("--limit-s", settings.limit_s);
  app.add_option("--records", settings.spool_dir, "folder for the records");
  CLI11_PARSE(app, argc, argv);
  return tidemark::Run(settings);
}
