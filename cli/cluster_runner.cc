#include "cli/cluster_runner.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/cluster_client.h"
#include "cli/job_screens.h"
#include "cli/job_view.h"
#include "common/mutex.h"
#include "common/rng/random_id.h"
#include "common/thread/reaper.h"

namespace tidemark {
namespace {

// How often Ctrl-C is pressed until the command leaves a job whose coordinator does not answer.
constexpr int kLeave = 3;

class ClusterRunner final : public Runner {
 public:
  ClusterRunner(std::unique_ptr<BenchmarkClient> client, std::string name)
      : client_(std::move(client)), name_(std::move(name)) {}

  absl::StatusOr<v1::Result> Run(const RunRequest& request, const RunCallbacks& callbacks) override {
    const absl::StatusOr<v1::Job> made = client_->CreateJob(CreateRequest(request));
    if (!made.ok()) return made.status();
    Say(callbacks, absl::StrCat("job ", made->id(), " on ", name_));
    TakeUp(made->id());
    const absl::StatusOr<v1::Job> ended = WatchWithView(client_.get(), made->id(), callbacks, &leave_);
    if (!ended.ok()) return LeftAlone(made->id(), ended.status());
    absl::StatusOr<v1::Result> result = client_->GetResult(made->id());
    if (!result.ok()) return WithoutResult(*ended, result.status());
    Fetch(*ended, request.output_dir, callbacks);
    return result;
  }

  // The first Stop drains, the next cancels. The third, or one that cannot be sent when it is to cancel, leaves.
  void Stop(bool now) override {
    MutexLock lock(mutex_);
    ++stops_;
    now_ = now_ || now;
    if (!job_id_.empty()) SendStop();  // else TakeUp does
  }

  bool WroteFiles() const override { return wrote_files_; }

 private:
  static void Say(const RunCallbacks& callbacks, const std::string& text) {
    if (callbacks.note) callbacks.note(text);
  }

  static v1::CreateJobRequest CreateRequest(const RunRequest& request) {
    v1::CreateJobRequest create;
    create.set_client_request_id(RandomId());
    create.set_job_yaml(request.job_yaml);
    for (const std::string& word : request.command) create.add_command(word);
    return create;
  }

  // From now on Stop reaches the job; one that came before is sent now.
  void TakeUp(const std::string& job_id) {
    MutexLock lock(mutex_);
    job_id_ = job_id;
    if (stops_ > 0) SendStop();
  }

  // On a thread of its own: the coordinator may not answer.
  void SendStop() TIDEMARK_REQUIRES(mutex_) {
    const bool leave = stops_ >= kLeave;
    senders_.Run([this, leave, job_id = job_id_, now = now_] {
      if (leave || (!client_->StopJob(job_id, now).ok() && now)) leave_.Cancel();
    });
  }

  absl::Status LeftAlone(const std::string& job_id, const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat(status.message(), "; job ", job_id, " on ", name_,
                                                    " goes on without this command: tidemark job watch ", job_id,
                                                    " looks on, tidemark job stop ", job_id, " ends it"));
  }

  // A job that was stopped in the queue, for one.
  static absl::Status WithoutResult(const v1::Job& job, const absl::Status& status) {
    const std::string why = job.failure_reason().empty() ? std::string(status.message()) : job.failure_reason();
    return absl::Status(status.code(),
                        absl::StrCat("job ", job.id(), " ", StateText(job.state()), " without a result: ", why));
  }

  void Fetch(const v1::Job& job, const std::string& folder, const RunCallbacks& callbacks) {
    const auto paths = client_->DownloadArtifacts(job.id(), false, folder, &leave_);
    wrote_files_ = paths.ok() && !paths->empty();
    if (wrote_files_) return;
    Say(callbacks,
        absl::StrCat(
            "warning: the files could not be fetched: ", paths.ok() ? "the job has none" : paths.status().message(),
            "; those written here are without records; tidemark job results ", job.id(), " tries again"));
  }

  const std::unique_ptr<BenchmarkClient> client_;
  const std::string name_;
  Cancellation leave_;
  bool wrote_files_ = false;
  Mutex mutex_;
  Reaper senders_ TIDEMARK_GUARDED_BY(mutex_);
  std::string job_id_ TIDEMARK_GUARDED_BY(mutex_);  // empty: not made yet
  int stops_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  bool now_ TIDEMARK_GUARDED_BY(mutex_) = false;
};

}  // namespace

std::unique_ptr<Runner> NewClusterRunner(std::unique_ptr<BenchmarkClient> client, const std::string& name) {
  return std::make_unique<ClusterRunner>(std::move(client), name);
}

absl::StatusOr<ClusterRun> ConnectToCluster(const ClusterSettings& cluster,
                                            const std::vector<std::string>& environment, const Clock* clock,
                                            const BenchmarkClientLimits& limits,
                                            const std::function<void(const std::string&)>& say) {
  absl::StatusOr<ClusterClient> made = MakeClusterClient(cluster, environment, false, clock, limits, say);
  if (!made.ok()) return made.status();
  const absl::StatusOr<v1::ListAgentsResponse> agents = made->client->ListAgents();
  if (!agents.ok()) return agents.status();
  ClusterRun run;
  run.agents = AgentsSummary(*agents, made->name);
  run.runner = NewClusterRunner(std::move(made->client), made->name);
  return run;
}

}  // namespace tidemark
