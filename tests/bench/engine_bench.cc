// What the agent's engine costs, and how true its times are: one level against tidemark-sim --null --send-log.
// `./dev bench` runs it beside epoll_client; by hand:
//   tidemark-sim --null --listen 127.0.0.1:8900 --delay-ms 100 --itl-ms 20 --send-log /tmp/sent &
//   engine_bench --port 8900 --send-log /tmp/sent --streams 1000
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/bench/client_cost.h"
#include "tests/bench/engine_level.h"
#include "tests/bench/engine_records.h"
#include "tests/bench/report.h"

namespace tidemark::bench {
namespace {

struct Flags {
  int port = 0;
  std::string send_log, records;
  uint32_t streams = 1000, loops = 1, output_tokens = 128;
  double ramp_s = 1, settle_s = 1, window_s = 5, limit_s = 60;
  uint64_t record_one_in = 1;
  bool warm = false, user_timestamps = false;
};

int64_t Ns(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

LevelTask TaskOf(const Flags& flags) {
  LevelTask task;
  task.key = {"bench", 0, 1};
  task.endpoint.urls = {absl::StrCat("http://127.0.0.1:", flags.port, "/v1/chat/completions")};
  task.endpoint.model = "tidemark-sim";
  task.workload.input.mean = 128;
  task.workload.output.mean = flags.output_tokens;
  task.workload.nonce = "bench";
  task.plan.concurrency = task.share.slots = flags.streams;
  task.plan.request_count = task.share.requests = 100'000'000;  // the window ends the level
  task.plan.ramp_ns = static_cast<uint64_t>(Ns(flags.ramp_s));
  task.plan.warmup_deadline_ns = static_cast<uint64_t>(Ns(600));
  task.plan.record_one_in = flags.record_one_in;
  task.plan.user_timestamps = flags.user_timestamps;
  return task;
}

nlohmann::json SelfCheckJson(const FinalSnapshot& end) {
  const SelfCheckFacts& check = end.self_check;
  return {{"loop_lag_p99_us", check.loop_lag_us.Quantile(0.99)},
          {"turnaround_p99_us", check.slot_turnaround_us.Quantile(0.99)},
          {"reader_delay_p99_us", check.reader_delay_us.Quantile(0.99)},
          {"sockets", check.sockets_opened},
          {"sent", end.measured.sent + end.unmeasured.sent},
          {"failed", end.measured.failed + end.unmeasured.failed},
          {"records_lost", end.records_lost}};
}

int Run(const Flags& flags) {
  const LevelTask task = TaskOf(flags);
  const uint64_t resident_before = CostSoFar().resident_kib;
  EngineOptions options;
  options.loops = flags.loops;
  options.spool_dir = flags.records;
  EngineLevel level(options, task);
  if (!level.Prepare(flags.limit_s)) return 1;
  const int64_t start = MonotonicNs() + Ns(0.1);
  if (!level.Arm(start, flags.limit_s)) return 1;
  PauseUntil(start + Ns(flags.ramp_s));
  if (flags.warm && !level.WaitWarm(flags.limit_s)) return 1;
  level.Measure();
  PauseUntil(MonotonicNs() + Ns(flags.settle_s));
  const ClientCost before = CostSoFar();
  PauseUntil(before.at_ns + Ns(flags.window_s));
  const ClientCost after = CostSoFar();
  if (!level.Stop(flags.limit_s)) return 1;
  const SentEvents log = ReadLogOrExit(flags.send_log);
  nlohmann::json report = CostJson(before, after, log);
  report["stream_kib"] = static_cast<double>(after.resident_kib - resident_before) / flags.streams;
  report["start_late_us"] = ToJson(StartLateness(log, start, Ns(flags.ramp_s), flags.streams));
  report["self_check"] = SelfCheckJson(level.snapshot());
  if (!flags.records.empty()) {
    const EngineRecords records = ReadSpool(level.spool_path(), task);
    report["left_out"] = records.left_out;
    report[flags.user_timestamps ? "user" : "kernel"] = ToJson(CompareWithLog(records.requests, log));
  }
  std::printf("%s\n", report.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  tidemark::bench::Flags flags;
  CLI::App app("What the engine costs, and how true its times are, against tidemark-sim --null --send-log");
  app.add_option("--port", flags.port)->required();
  app.add_option("--send-log", flags.send_log)->required();
  app.add_option("--streams", flags.streams);
  app.add_option("--loops", flags.loops);
  app.add_option("--output-tokens", flags.output_tokens);
  app.add_option("--ramp-s", flags.ramp_s);
  app.add_option("--settle-s", flags.settle_s, "between the ramp, or WARM, and the window");
  app.add_option("--window-s", flags.window_s);
  app.add_option("--limit-s", flags.limit_s, "for each step of the level");
  app.add_option("--records", flags.records, "folder for records: compare their times with the send log");
  app.add_option("--record-one-in", flags.record_one_in, "so many requests a record: writing them costs CPU too");
  app.add_flag("--warm", flags.warm, "wait until every slot has ended a request");
  app.add_flag("--user-timestamps", flags.user_timestamps, "the loop's times instead of the kernel's");
  CLI11_PARSE(app, argc, argv);
  return tidemark::bench::Run(flags);
}
