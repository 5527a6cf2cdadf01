#include "cli/selftest.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/exit_code.h"
#include "cli/fd_limit.h"
#include "cli/simulator_child.h"
#include "common/environment/environment.h"
#include "common/files/whole_file.h"
#include "common/json/json.h"
#include "common/settings/settings_table.h"
#include "common/wall_time/wall_time.h"
#include "coordinator/report/format.h"

namespace tidemark {
namespace {

constexpr int64_t kTime = 60 * kNanosPerSecond;
constexpr int64_t kQuickTime = 15 * kNanosPerSecond;
constexpr uint64_t kMostLoops = 256;

struct SelftestFlags {
  bool quick = false, json = false;
  uint64_t loops = 0;
  std::string file;
};

// A text: print it and end.
absl::StatusOr<std::optional<std::string>> ReadFlags(const SelftestWorld& world, const std::vector<std::string>& arguments,
                                                     SelftestFlags* flags) {
  SettingsTable table("tidemark selftest", VersionString(),
                      "finds how many streams and events a second this host drives, for sweeps and agents to plan by");
  table.Switch("quick", "15 s at most instead of a minute, and less exact", &flags->quick);
  table.Switch("json", "print one JSON document", &flags->json);
  table.Number("loops", "N", "event-loop threads; 0: one for each 2,000 streams, at most the cores", 0, kMostLoops,
               &flags->loops);
  table.Text("selftest-file", "FILE", "keeps what was found; sweep and tidemark-agent read it", &flags->file);
  SettingSources sources = ProcessSources(0, nullptr);
  sources.arguments = arguments;
  sources.environment = world.environment;
  return table.Read(sources);
}

class Selftest {
 public:
  Selftest(const SelftestWorld& world, SelftestFlags flags) : world_(world), flags_(std::move(flags)) {
    if (!flags_.quick) return;
    plan_.schedule.events = 25;
    plan_.window_ns = kNanosPerSecond;
  }

  int Run() {
    const absl::StatusOr<SelftestWorld::Trial> trial = world_.start(plan_.schedule, static_cast<uint32_t>(flags_.loops));
    if (!trial.ok()) return Fail(trial.status().message());
    SayHead();
    const absl::Status searched = Search(*trial);
    if (!searched.ok()) return Fail(searched.message());
    if (!best_) return Fail("this host drives not even the fewest streams tried: it has too much else to do");
    return Conclude();
  }

 private:
  int Fail(absl::string_view reason) {
    *world_.err << "tidemark: selftest: " << OneLine(reason) << std::endl;
    return kExitCouldNotRun;
  }

  void SayHead() {
    *world_.err << absl::StrFormat(
        "What this host drives, against an endpoint of its own (first event after %d ms, then one each %d ms):\n"
        "%8s %10s %14s %14s %6s\n",
        plan_.schedule.delay_ms, plan_.schedule.itl_ms, "streams", "events/s", "read late p99", "sent late p99", "CPU");
  }

  absl::Status Search(const SelftestWorld::Trial& run) {
    SelftestSearch search({500, world_.most_streams, flags_.quick ? 0.25 : 0.1, flags_.quick ? 1 : 2});
    const int64_t end = world_.clock->MonotonicNanos() + (flags_.quick ? kQuickTime : kTime);
    while (const std::optional<uint32_t> streams = search.Next()) {
      plan_.streams = *streams;
      if (world_.clock->MonotonicNanos() + TrialNanos(plan_) > end) break;
      const absl::StatusOr<SelftestTrial> trial = run(plan_);
      if (!trial.ok()) return trial.status();
      const std::string why_not = WhyNotDriven(*trial);
      Say(*trial, why_not);
      search.Take(why_not.empty());
      if (why_not.empty() && trial->streams == search.best()) best_ = *trial;
      trials_.emplace_back(*trial, why_not);
    }
    return absl::OkStatus();
  }

  void Say(const SelftestTrial& trial, const std::string& why_not) {
    *world_.err << absl::StrFormat("%8s %10s %11.2f ms %11.2f ms %4.0f %%  %s", FormatCount(trial.streams),
                                   FormatCount(static_cast<uint64_t>(trial.events_per_second)),
                                   trial.reader_delay_p99_ms, trial.send_lateness_p99_ms, trial.loop_cpu * 100,
                                   why_not.empty() ? "driven" : "too many: " + why_not)
                << std::endl;
  }

  SelftestRecord Record() const {
    return {world_.key, best_->streams, best_->events_per_second, Rfc3339(world_.clock->WallNanos())};
  }

  int Conclude() {
    const SelftestRecord record = Record();
    const std::string path = flags_.file.empty() ? SelftestPath(world_.environment) : flags_.file;
    const absl::Status kept =
        path.empty() ? absl::NotFoundError("neither HOME nor XDG_STATE_HOME is set: give --selftest-file")
                     : WriteWholeFile(path, EncodeSelftest(record));
    *world_.out << (flags_.json ? JsonOf(record, path) : TextOf(record, path)) << std::flush;
    return kept.ok() ? kExitDone : Fail(absl::StrCat("what was found cannot be kept: ", kept.message()));
  }

  static uint64_t PlannedOf(const SelftestRecord& record) {
    HostBounds bounds;
    bounds.descriptors = UINT64_MAX;
    bounds.selftest = record;
    return CapacityOf(bounds).requests;
  }

  std::string TextOf(const SelftestRecord& record, const std::string& path) const {
    return absl::StrCat("This host drives ", FormatCount(record.streams), " streams at once, with ",
                        FormatCount(static_cast<uint64_t>(record.events_per_second)), " events/s.\n",
                        "A sweep on it plans at most ", FormatCount(PlannedOf(record)), " of them (70 %).\nKept in ", path, "\n");
  }

  std::string JsonOf(const SelftestRecord& record, const std::string& path) const {
    Json json = Json::Object();
    json.Set("streams", record.streams).Set("events_per_second", record.events_per_second);
    json.Set("planned_streams", PlannedOf(record)).Set("build", record.key.build).Set("cores", record.key.cores);
    json.Set("cpu_limit", record.key.cpu_limit).Set("measured_at", record.measured_at).Set("file", path);
    Json trials = Json::Array();
    for (const auto& [trial, why_not] : trials_) {
      Json entry = Json::Object();
      entry.Set("streams", trial.streams).Set("events_per_second", trial.events_per_second);
      entry.Set(trial.stamped ? "reader_delay_p99_ms" : "loop_lag_p99_ms", trial.reader_delay_p99_ms);
      entry.Set("send_lateness_p99_ms", trial.send_lateness_p99_ms).Set("in_flight_fraction", trial.in_flight);
      entry.Set("loop_cpu_fraction", trial.loop_cpu).Set("driven", why_not.empty()).Set("why_not", why_not);
      trials.Append(std::move(entry));
    }
    json.Set("trials", std::move(trials));
    return json.Dump(2) + "\n";
  }

  const SelftestWorld& world_;
  const SelftestFlags flags_;
  TrialPlan plan_;
  std::optional<SelftestTrial> best_;
  std::vector<std::pair<SelftestTrial, std::string>> trials_;
};

}  // namespace

int RunSelftest(const SelftestWorld& world, const std::vector<std::string>& arguments) {
  SelftestFlags flags;
  const absl::StatusOr<std::optional<std::string>> read = ReadFlags(world, arguments, &flags);
  if (!read.ok()) {
    *world.err << "tidemark: selftest: " << OneLine(read.status().message()) << std::endl;
    return kExitUsage;
  }
  if (*read) {
    *world.out << **read << std::flush;
    return kExitDone;
  }
  return Selftest(world, std::move(flags)).Run();
}

absl::StatusOr<SelftestWorld::Trial> StartNullEndpoint(const std::string& simulator_program, const NullSchedule& schedule,
                                                       uint32_t loops, const Clock& clock) {
  SimulatorChildOptions options;
  options.program = simulator_program;
  options.arguments = {"--null", "--delay-ms", absl::StrCat(schedule.delay_ms), "--itl-ms", absl::StrCat(schedule.itl_ms)};
  absl::StatusOr<std::unique_ptr<SimulatorChild>> started = SimulatorChild::Start(options, clock);
  if (!started.ok()) return started.status();
  const std::shared_ptr<SimulatorChild> child = *std::move(started);
  EngineOptions engine_options;
  engine_options.loops = loops;
  const std::shared_ptr<Engine> engine = NewCurlEngine(engine_options, &clock);
  return [child, engine, &clock](const TrialPlan& plan) {
    TrialPlan there = plan;
    there.url = child->url() + "/v1/chat/completions";
    return RunTrial(*engine, there, clock);
  };
}

}  // namespace tidemark
