#include "cli/job_command.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/cluster_client.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/job_flags.h"
#include "cli/job_input.h"
#include "cli/job_screens.h"
#include "cli/job_view.h"
#include "cli/output_folder.h"
#include "cli/progress.h"
#include "cli/sweep_flags.h"
#include "common/json/json.h"
#include "common/rng/random_id.h"
#include "common/thread/interrupt.h"
#include "common/thread/serial_worker.h"
#include "coordinator/core/job_spec/cluster_job.h"
#include "coordinator/core/job_spec/job_yaml.h"
#include "coordinator/report/format.h"
#include "coordinator/report/result_json.h"

namespace tidemark {
namespace {

constexpr int kInterrupted = 130;  // of a job that was stopped: partial results

// One command with its flags and its client.
class JobCommand {
 public:
  explicit JobCommand(const JobWorld& world) : world_(world), progress_(world.err_terminal, *world.err) {}

  int Main(const std::string& command, const std::vector<std::string>& arguments) {
    if (command == "create") return Create(arguments);
    absl::StatusOr<JobFlags> flags = ParseJobFlags(command, arguments, world_.environment);
    if (!flags.ok()) return Refuse(flags.status());
    flags_ = *std::move(flags);
    if (flags_.help) return Help(command);
    // Before gRPC has threads, which must not take the signals.
    if (command == "watch" || command == "wait") {
      const absl::Status watched = WatchInterrupts();
      if (!watched.ok()) return Fail(watched);
    }
    const absl::Status connected = Connect(flags_.cluster);
    if (!connected.ok()) return Refuse(connected);
    return ActionOf(command)();
  }

 private:
  std::function<int()> ActionOf(const std::string& command) {
    const std::map<std::string, int (JobCommand::*)()> actions = {
        {"list", &JobCommand::List},       {"describe", &JobCommand::Describe}, {"watch", &JobCommand::Watch},
        {"wait", &JobCommand::Wait},       {"stop", &JobCommand::Stop},         {"delete", &JobCommand::Delete},
        {"results", &JobCommand::Results}, {"agents", &JobCommand::Agents}};
    const auto action = actions.at(command);
    return [this, action] { return (this->*action)(); };
  }

  // The first leaves the job alone; one more ends the command whatever it waits for.
  absl::Status WatchInterrupts() {
    auto watch = InterruptWatch::Start([this](int signal, int count) {
      leave_.Cancel();
      if (count > 1) std::_Exit(128 + signal);
    });
    if (!watch.ok()) return watch.status();
    interrupts_ = *std::move(watch);
    return absl::OkStatus();
  }

  int GoneOn() {
    Complain(absl::StrCat("job ", flags_.job_id, " goes on without this command: tidemark job watch ", flags_.job_id,
                          " looks on, tidemark job stop ", flags_.job_id, " ends it"));
    return 128 + interrupts_->first_signal();
  }

  bool Interrupted() const { return interrupts_ != nullptr && interrupts_->first_signal() != 0; }

  int Refuse(const absl::Status& status) {
    Complain(status.message());
    return kExitUsage;
  }

  // What the coordinator refuses as wrong is the usage's fault, too.
  int Fail(const absl::Status& status) {
    if (absl::IsInvalidArgument(status)) return Refuse(status);
    Complain(status.message());
    return kExitCouldNotRun;
  }

  void Complain(absl::string_view text) {
    progress_.Finish();
    *world_.err << "tidemark: " << OneLine(text) << std::endl;
  }

  int Help(const std::string& command) {
    *world_.out << (command == "agents" ? AgentsHelp() : JobHelp(command)) << std::flush;
    return kExitDone;
  }

  int Answer(const std::string& text) {
    *world_.out << text << std::flush;
    if (world_.out->good()) return kExitDone;
    Complain("cannot write the answer to standard output");
    return kExitCouldNotRun;
  }

  absl::Status Connect(const ClusterSettings& cluster) {
    absl::StatusOr<ClusterClient> made =
        MakeClusterClient(cluster, world_.environment, true, world_.clock, BenchmarkClientLimits(),
                          [this](const std::string& text) { progress_.Say(text); });
    if (!made.ok()) return made.status();
    client_ = std::move(made->client);
    cluster_ = made->name;
    return absl::OkStatus();
  }

  int Create(const std::vector<std::string>& arguments) {
    const absl::StatusOr<SweepFlags> flags = ParseSweepFlags(arguments);
    if (!flags.ok()) return Refuse(flags.status());
    if (flags->help) return Help("create");
    absl::StatusOr<ResolvedJob> job = ResolveJobInput(flags->settings, world_.environment);
    if (!job.ok()) return Refuse(job.status());
    absl::Status status = PrepareForCluster(*job);
    if (status.ok()) status = RefuseSweepsOwn(job->command);
    if (status.ok()) status = Connect(job->command.cluster);
    if (!status.ok()) return Refuse(status);
    for (const std::string& note : job->spec.notes) progress_.Say(note);
    v1::CreateJobRequest request;
    request.set_client_request_id(RandomId());
    request.set_job_yaml(ToYaml(job->spec));
    for (const char* word : {"tidemark", "sweep"}) request.add_command(word);
    for (const std::string& word : WithoutSecretArguments(arguments, "KEY")) request.add_command(word);
    const absl::StatusOr<v1::Job> made = client_->CreateJob(request);
    if (!made.ok()) return Fail(made.status());
    progress_.Say(absl::StrCat("job ", made->id(), " is ", StateText(made->state()), " on ", cluster_));
    return Answer(job->command.json ? MessageJson(*made) : made->id() + "\n");
  }

  static absl::Status RefuseSweepsOwn(const CommandSettings& command) {
    if (command.dry_run)
      return absl::InvalidArgumentError("--dry-run: tidemark sweep --dry-run says what would be run");
    if (!command.output_dir.empty() || command.overwrite) {
      return absl::InvalidArgumentError(
          "--output-dir: the files of a job come with tidemark job results ID --output-dir DIR");
    }
    return absl::OkStatus();
  }

  int List() {
    v1::ListJobsResponse all;
    v1::ListJobsRequest request;
    for (const std::string& state : flags_.states) {
      for (int i = v1::JobState_MIN; i <= v1::JobState_MAX; ++i) {
        if (StateText(static_cast<v1::JobState>(i)) == state) request.add_states(static_cast<v1::JobState>(i));
      }
    }
    while (static_cast<uint32_t>(all.jobs_size()) < flags_.limit) {
      request.set_page_size(std::min<uint32_t>(100, flags_.limit - static_cast<uint32_t>(all.jobs_size())));
      const absl::StatusOr<v1::ListJobsResponse> page = client_->ListJobs(request);
      if (!page.ok()) return Fail(page.status());
      for (const v1::Job& job : page->jobs()) *all.add_jobs() = job;
      all.set_next_page_token(page->next_page_token());
      if (page->next_page_token().empty() || page->jobs().empty()) break;
      request.set_page_token(page->next_page_token());
    }
    if (flags_.json) return Answer(MessageJson(all));
    if (!all.next_page_token().empty())
      progress_.Say(absl::StrCat("the latest ", all.jobs_size(), "; --limit N shows more"));
    return Answer(JobsTable({all.jobs().begin(), all.jobs().end()}, Width()));
  }

  size_t Width() const {
    constexpr size_t kOfAFile = 100'000;  // nothing is cut
    return world_.out_terminal.interactive ? static_cast<size_t>(world_.out_terminal.width) : kOfAFile;
  }

  int Describe() { return ShowJob(client_->DescribeJob(flags_.job_id)); }

  int ShowJob(const absl::StatusOr<v1::Job>& job) {
    if (!job.ok()) return Fail(job.status());
    return Answer(flags_.json ? MessageJson(*job) : JobText(*job));
  }

  int Stop() {
    const absl::StatusOr<v1::Job> job = client_->StopJob(flags_.job_id, flags_.now);
    if (!job.ok()) return Fail(job.status());
    progress_.Say(absl::StrCat("job ", job->id(), " is ", StateText(job->state())));
    return flags_.json ? Answer(MessageJson(*job)) : kExitDone;
  }

  int Delete() {
    const absl::Status deleted = client_->DeleteJob(flags_.job_id);
    if (!deleted.ok()) return Fail(deleted);
    progress_.Say(absl::StrCat("job ", flags_.job_id, " is deleted, with its files"));
    return flags_.json ? Answer(Json::Object().Set("deleted", flags_.job_id).DumpReadable() + "\n") : kExitDone;
  }

  int Watch() {
    RunCallbacks view;
    view.progress = [this](const LiveProgress& live) { progress_.Show(live); };
    view.level_done = [this](const v1::LevelResult& level) { progress_.LevelDone(level); };
    view.note = [this](const std::string& note) { progress_.Say(note); };
    const absl::StatusOr<v1::Job> job = WatchWithView(client_.get(), flags_.job_id, view, &leave_);
    return Interrupted() && !job.ok() ? GoneOn() : Ended(job);
  }

  int Wait() {
    WatchEvents events;
    events.lost = [this](const absl::Status& status) {
      progress_.Say(absl::StrCat("connection lost, trying again: ", status.message()));
    };
    events.found = [this] { progress_.Say("connected again"); };
    SerialWorker timer(world_.clock);
    if (flags_.timeout_s) {
      const auto ns = static_cast<int64_t>(*flags_.timeout_s * static_cast<double>(kNanosPerSecond));
      timer.WakeAt(world_.clock->MonotonicNanos() + ns, [this] { leave_.Cancel(); });
    }
    const absl::StatusOr<v1::Job> job = client_->WatchJob(flags_.job_id, events, &leave_);
    timer.Stop();
    if (Interrupted() && !job.ok()) return GoneOn();
    if (!absl::IsCancelled(job.status())) return Ended(job);
    Complain(absl::StrCat("job ", flags_.job_id, " has not ended within ", FormatExact(*flags_.timeout_s), " s"));
    return kExitCouldNotRun;
  }

  // Shows a job that has ended, and gives its code.
  int Ended(const absl::StatusOr<v1::Job>& job) {
    progress_.Finish();
    if (!job.ok()) return Fail(job.status());
    const int shown = Answer(flags_.json ? MessageJson(*job) : JobText(*job));
    return shown != kExitDone ? shown : CodeOf(*job);
  }

  int CodeOf(const v1::Job& job) {
    if (job.state() == v1::STOPPED) return kInterrupted;
    const absl::StatusOr<v1::Result> result = client_->GetResult(job.id());
    if (result.ok()) return ExitCodeOf(*result, WatchedSpecOf(job).accept_undecided, 0);
    if (job.state() != v1::FAILED) Complain(result.status().message());
    return kExitCouldNotRun;
  }

  // The files, and the last screen; with --json and no folder the document alone.
  int Results() {
    const absl::StatusOr<v1::Job> job = client_->DescribeJob(flags_.job_id);
    if (!job.ok()) return Fail(job.status());
    const absl::StatusOr<v1::Result> result = client_->GetResult(flags_.job_id);
    if (!result.ok()) return Fail(result.status());
    std::string folder;
    if (!flags_.json || !flags_.output_dir.empty()) {
      const absl::StatusOr<std::string> fetched = Fetch(*job);
      if (!fetched.ok()) return Fail(fetched.status());
      folder = *fetched;
    }
    if (flags_.json) return Answer(MessageJson(*result));
    return Answer(world_.output.summary ? world_.output.summary(*result, folder) : folder + "\n");
  }

  absl::StatusOr<std::string> Fetch(const v1::Job& job) {
    OutputFolderOptions options;
    options.dir = flags_.output_dir;
    options.name = job.name();
    options.wall_nanos = world_.clock->WallNanos();
    options.overwrite = flags_.overwrite;
    const absl::StatusOr<OutputFolder> folder = OutputFolder::Prepare(options);
    if (!folder.ok()) return folder.status();
    Cancellation never;
    const auto paths = client_->DownloadArtifacts(job.id(), flags_.without_records, folder->path(), &never);
    std::error_code error;
    std::filesystem::remove(folder->JournalDir(), error);
    if (!paths.ok()) return paths.status();
    progress_.Say(absl::StrCat(paths->size(), " files in ", folder->path()));
    return folder->path();
  }

  int Agents() {
    const absl::StatusOr<v1::ListAgentsResponse> agents = client_->ListAgents();
    if (!agents.ok()) return Fail(agents.status());
    return Answer(flags_.json ? MessageJson(*agents) : AgentsTable(*agents, Width()));
  }

  const JobWorld& world_;
  ProgressView progress_;
  JobFlags flags_;
  std::unique_ptr<BenchmarkClient> client_;
  std::string cluster_;  // its name, for people
  Cancellation leave_;   // of a watch
  std::unique_ptr<InterruptWatch> interrupts_;  // of a watch
};

}  // namespace

int RunJobCommand(const JobWorld& world, const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "--help" || command == "-h") {
    *world.out << JobHelp("") << std::flush;
    return kExitDone;
  }
  const std::vector<std::string>& known = JobCommands();
  if (std::find(known.begin(), known.end(), command) == known.end()) {
    const std::string nearest = DidYouMean(command, known);
    *world.err << "tidemark: "
               << (command.empty() ? "which job command?" : absl::StrCat("unknown job command ", Printable(command)))
               << (nearest.empty() ? " See tidemark job --help" : nearest) << std::endl;
    return kExitUsage;
  }
  return JobCommand(world).Main(command, {arguments.begin() + 1, arguments.end()});
}

int RunAgentsCommand(const JobWorld& world, const std::vector<std::string>& arguments) {
  return JobCommand(world).Main("agents", arguments);
}

}  // namespace tidemark
