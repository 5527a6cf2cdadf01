#include "cli/sweep.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/fd_limit.h"
#include "cli/first_screen.h"
#include "cli/help.h"
#include "cli/job_input.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/simulator_child.h"
#include "cli/sweep_flags.h"
#include "common/log/log.h"
#include "common/mutex.h"
#include "common/thread/interrupt.h"
#include "coordinator/core/job_spec/cluster_job.h"
#include "coordinator/core/job_spec/endpoint_settings.h"
#include "coordinator/core/job_spec/job_yaml.h"
#include "coordinator/core/job_spec/secrets.h"
#include "coordinator/report/format.h"

namespace tidemark {
namespace {

constexpr char kKeyVariable[] = "TIDEMARK_API_KEY";
constexpr int kLeave = 3;  // interrupts that end a sweep on a cluster whatever it waits for

// One run of the command.
class Sweep {
 public:
  Sweep(const SweepWorld& world, const std::vector<std::string>& arguments)
      : world_(world), arguments_(arguments), progress_(world.err_terminal, *world.err) {}

  int Main() {
    const absl::StatusOr<SweepFlags> flags = ParseSweepFlags(arguments_);
    if (!flags.ok()) return Refuse(flags.status());
    if (flags->help) {
      *world_.out << SweepHelp();
      return kExitDone;
    }
    absl::Status status = PrepareJob(flags->settings);
    if (!status.ok()) return Refuse(status);
    if (job_.command.dry_run) return DryRun();
    if (OnCluster()) return RunOnCluster();
    if (!world_.make_runner) return Fail("this build has no runner: only --dry-run is possible");
    status = StartTarget();
    if (!status.ok()) return Fail(status.message());
    return RunJob();
  }

 private:
  int Refuse(const absl::Status& status) {
    Complain(status.message());
    return kExitUsage;
  }

  int Fail(absl::string_view reason) {
    Complain(reason);
    return kExitCouldNotRun;
  }

  // A file or a server may have made the text: a terminal obeys none of it.
  void Complain(absl::string_view text) { *world_.err << "tidemark: " << OneLine(text) << std::endl; }

  absl::Status PrepareJob(const Settings& flags) {
    absl::StatusOr<ResolvedJob> job = ResolveJobInput(flags, world_.environment);
    if (!job.ok()) return job.status();
    job_ = *std::move(job);
    simulator_ = job_.spec.endpoint.urls.empty() && !OnCluster();
    absl::Status status = OnCluster() ? PrepareForCluster(job_) : PrepareForHost();
    if (status.ok()) status = OutputFolder::Check(FolderOptions());
    const absl::StatusOr<LogLevel> level = ParseLogLevel(job_.command.log_level);
    if (status.ok() && level.ok()) ConfigureLog({*level, job_.command.log_json});
    return status;
  }

  bool OnCluster() const { return job_.command.cluster.wanted(); }

  // What a run on this host needs of it.
  absl::Status PrepareForHost() {
    absl::StatusOr<std::vector<SourceAddress>> sources = ParseSourceAddresses(job_.command.source_addresses);
    if (!sources.ok()) return sources.status();
    sources_ = *std::move(sources);
    capacity_ = CapacityOf(Bounds());
    absl::Status status =
        ApplyCapacity(capacity_.requests, capacity_.because, capacity_.cure, job_.spec);
    if (status.ok()) status = CheckFiles();
    if (status.ok()) TakeKey();
    return status;
  }

  HostBounds Bounds() const {
    HostBounds bounds;
    bounds.descriptors = world_.descriptor_limit;
    bounds.ports = world_.local_ports;
    bounds.source_addresses = static_cast<uint32_t>(std::max<size_t>(1, sources_.size()));
    bounds.stated = job_.command.capacity.value_or(0);
    bounds.selftest = world_.selftest.record;
    return bounds;
  }

  absl::Status CheckFiles() const {
    const EndpointSpec& endpoint = job_.spec.endpoint;
    if (!endpoint.ca_cert.empty() && access(endpoint.ca_cert.c_str(), R_OK) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("ca_cert is ", endpoint.ca_cert, ": want a PEM file that can be read"));
    }
    if (endpoint.api_key_env.empty()) return absl::OkStatus();
    const char* key = std::getenv(endpoint.api_key_env.c_str());
    if (key != nullptr && *key != '\0') return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("api_key_env is ", endpoint.api_key_env,
                                                   ": this environment variable is not set"));
  }

  // The key itself becomes a variable of this process, so that all that follows knows only its name.
  void TakeKey() {
    if (job_.command.api_key.empty()) return;
    setenv(kKeyVariable, job_.command.api_key.c_str(), 1);
    job_.command.api_key.clear();
    job_.spec.endpoint.api_key_env = kKeyVariable;
  }

  OutputFolderOptions FolderOptions() const {
    OutputFolderOptions options;
    options.dir = job_.command.output_dir;
    options.name = job_.spec.name;
    options.wall_nanos = world_.clock->WallNanos();
    options.overwrite = job_.command.overwrite;
    return options;
  }

  FirstScreenFacts ScreenFacts(const std::string& output_path) const {
    FirstScreenFacts facts;
    facts.version = world_.version;
    facts.simulator = simulator_;
    facts.capacity = capacity_;
    if (!OnCluster() && !job_.command.capacity) facts.capacity_note = world_.selftest.why_not;
    LatencyAt latency;
    if (simulator_ && world_.simulator_latency) {
      latency = [this](uint32_t concurrency) {
        return world_.simulator_latency(job_.spec, concurrency);
      };
    }
    facts.estimate = EstimateJob(job_.spec, latency);
    facts.output_path = output_path;
    facts.cluster = agents_;
    return facts;
  }

  int DryRun() {
    if (OnCluster()) agents_ = "those of the cluster";
    const FirstScreenFacts facts = ScreenFacts("");
    *world_.err << RenderFirstScreen(job_.spec, facts) << std::flush;
    if (job_.command.json) {
      *world_.out << "{\"job\":" << ToJobJson(job_.spec)
                  << ",\"estimate\":" << EstimateJson(facts.estimate) << "}\n";
    } else {
      *world_.out << ToYaml(job_.spec);
    }
    *world_.out << std::flush;
    return kExitDone;
  }

  absl::Status StartTarget() {
    if (!simulator_) return absl::OkStatus();
    SimulatorChildOptions options;
    options.program = world_.simulator_program;
    absl::StatusOr<std::unique_ptr<SimulatorChild>> child =
        SimulatorChild::Start(options, *world_.clock);
    if (!child.ok()) return child.status();
    child_ = *std::move(child);
    absl::StatusOr<std::string> url = ResolveEndpointUrl(child_->url(), job_.spec.endpoint.api);
    if (!url.ok()) return url.status();
    job_.spec.endpoint.urls = {*std::move(url)};
    return absl::OkStatus();
  }

  RunRequest Request(const OutputFolder& folder) const {
    RunRequest request;
    request.spec = job_.spec;
    request.output_dir = folder.path();
    request.journal_dir = folder.JournalDir();
    request.capacity = static_cast<uint32_t>(std::min<uint64_t>(
        job_.command.capacity.value_or(0), std::numeric_limits<uint32_t>::max()));
    request.loops = job_.command.loops;
    request.sources = sources_;
    request.selftest = world_.selftest.record;
    request.http = job_.command.http;
    request.simulator = simulator_;
    request.job_yaml = JobYaml();
    request.command = WithoutSecretArguments(arguments_, kKeyVariable);
    request.command.insert(request.command.begin(), {"tidemark", "sweep"});
    return request;
  }

  // The built-in simulator's address is of this run only: a repetition starts its own.
  std::string JobYaml() const {
    if (!simulator_) return ToYaml(job_.spec);
    JobSpec spec = job_.spec;
    spec.endpoint.urls.clear();
    return ToYaml(spec);
  }

  RunCallbacks Callbacks() {
    RunCallbacks callbacks;
    callbacks.progress = [this](const LiveProgress& live) { progress_.Show(live); };
    callbacks.level_done = [this](const v1::LevelResult& level) { progress_.LevelDone(level); };
    callbacks.note = [this](const std::string& note) { progress_.Say(note); };
    return callbacks;
  }

  int RunJob() {
    const absl::StatusOr<OutputFolder> folder = OutputFolder::Prepare(FolderOptions());
    if (!folder.ok()) return FolderProblem(folder.status());
    *world_.err << RenderFirstScreen(job_.spec, ScreenFacts(folder->path())) << std::endl;
    const std::unique_ptr<Runner> runner = world_.make_runner();
    const auto watch = WatchInterrupts(runner.get());
    if (!watch.ok()) return Fail(watch.status().message());
    return RunWith(*runner, *folder, **watch);
  }

  // The watch comes first: threads of gRPC must not take the signals.
  int RunOnCluster() {
    if (!world_.connect) return Fail("this build knows no clusters");
    const auto watch = WatchInterrupts(nullptr);
    if (!watch.ok()) return Fail(watch.status().message());
    const int code = RunOnCluster(**watch);
    SetOver();
    return code;
  }

  int RunOnCluster(const InterruptWatch& watch) {
    const absl::StatusOr<ClusterRun> run =
        world_.connect(job_.command.cluster, [this](const std::string& text) { progress_.Say(text); });
    if (!run.ok()) return absl::IsInvalidArgument(run.status()) ? Refuse(run.status()) : Fail(run.status().message());
    agents_ = run->agents;
    const absl::StatusOr<OutputFolder> folder = OutputFolder::Prepare(FolderOptions());
    if (!folder.ok()) return FolderProblem(folder.status());
    *world_.err << RenderFirstScreen(job_.spec, ScreenFacts(folder->path())) << std::endl;
    const int interrupts = SetRunner(run->runner.get());
    if (interrupts > 0) return Interrupted(watch.first_signal());
    const int code = RunWith(*run->runner, *folder, watch);
    SetRunner(nullptr);
    std::error_code error;
    std::filesystem::remove(folder->JournalDir(), error);  // nothing is spooled here
    return code;
  }

  int FolderProblem(const absl::Status& status) {
    return absl::IsInvalidArgument(status) ? Refuse(status) : Fail(status.message());
  }

  int Interrupted(int signal) {
    Complain("interrupted before the job was made");
    return ExitCodeOf(v1::Result(), false, signal);
  }

  absl::StatusOr<std::unique_ptr<InterruptWatch>> WatchInterrupts(Runner* runner) {
    SetRunner(runner);
    return InterruptWatch::Start([this](int signal, int count) {
      progress_.Say(count == 1 ? "stopping: requests in flight may end; once more cancels them"
                               : "cancelling at once");
      MutexLock lock(mutex_);
      interrupts_ = count;
      if (runner_ != nullptr) runner_->Stop(count > 1);
      if (OnCluster() && count >= kLeave) EndSoon(signal);
    });
  }

  // On a cluster the job is the coordinator's: when that does not answer nothing is left to be waited for.
  void EndSoon(int signal) TIDEMARK_REQUIRES(mutex_) {
    for (int waits = 0; waits < 10 && !over_; ++waits) changed_.WaitFor(mutex_, kNanosPerSecond / 10);
    if (over_) return;
    Complain("left without an answer of the coordinator: a job that was made goes on there (tidemark job list)");
    std::_Exit(128 + signal);
  }

  void SetOver() {
    MutexLock lock(mutex_);
    over_ = true;
    changed_.NotifyAll();
  }

  // Whom interrupts stop. Returns how many there were before.
  int SetRunner(Runner* runner) {
    MutexLock lock(mutex_);
    runner_ = runner;
    return interrupts_;
  }

  int RunWith(Runner& runner, const OutputFolder& folder, const InterruptWatch& watch) {
    const absl::StatusOr<v1::Result> result = runner.Run(Request(folder), Callbacks());
    progress_.Finish();
    if (!result.ok()) {
      const bool usage = absl::IsInvalidArgument(result.status());
      const int code = usage ? Refuse(result.status()) : Fail(result.status().message());
      return watch.first_signal() != 0 ? ExitCodeOf(v1::Result(), false, watch.first_signal()) : code;
    }
    wrote_files_ = runner.WroteFiles();
    return Conclude(*result, folder, watch.first_signal());
  }

  // The answer goes to standard output whatever becomes of the files.
  int Conclude(const v1::Result& result, const OutputFolder& folder, int signal) {
    const absl::Status written = WriteFiles(result, folder);
    const ResultOutput& output = world_.output;
    // No path of a report that is not there.
    const std::string summary = output.summary ? output.summary(result, written.ok() ? folder.path() : "") : "";
    if (job_.command.json && output.json) {
      *world_.out << output.json(result);
      *world_.err << summary;
    } else {
      *world_.out << summary;
    }
    *world_.out << std::flush;
    if (!written.ok()) return Fail(written.message());
    if (!world_.out->good()) return Fail("cannot write the answer to standard output");
    return ExitCodeOf(result, job_.spec.accept_undecided, signal);
  }

  absl::Status WriteFiles(const v1::Result& result, const OutputFolder& folder) const {
    if (!world_.output.files || wrote_files_) return absl::OkStatus();
    for (const ReportFile& file : world_.output.files(result)) {
      absl::Status status = folder.WriteFile(file.path, file.content);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  const SweepWorld& world_;
  const std::vector<std::string>& arguments_;
  ProgressView progress_;
  ResolvedJob job_;
  HostCapacity capacity_;
  std::vector<SourceAddress> sources_;
  bool simulator_ = false;
  std::unique_ptr<SimulatorChild> child_;
  std::string agents_;        // of a cluster, in words
  bool wrote_files_ = false;  // the runner did
  Mutex mutex_;
  Runner* runner_ TIDEMARK_GUARDED_BY(mutex_) = nullptr;
  int interrupts_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  CondVar changed_;
  bool over_ TIDEMARK_GUARDED_BY(mutex_) = false;  // the command ends by itself
};

}  // namespace

int RunSweep(const SweepWorld& world, const std::vector<std::string>& arguments) {
  return Sweep(world, arguments).Main();
}

}  // namespace tidemark
