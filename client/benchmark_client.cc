#include "client/benchmark_client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/artifact_writer.h"
#include "client/call_error.h"
#include "client/note_log.h"
#include "common/job/job_state.h"
#include "common/mutex.h"
#include "common/rpc/credentials.h"
#include "common/rpc/deadline.h"
#include "common/rpc/grpc_status.h"
#include "common/rpc/listen_address.h"
#include "proto/tidemark/v1/benchmark.grpc.pb.h"

namespace tidemark {
namespace {

using Stub = v1::Benchmark::Stub;

constexpr int kLargestMessage = 256 << 20;  // a result of many levels
constexpr int kDownloadTries = 5;
constexpr int kMostOverflows = 5;  // of a watcher, in a row, without a level between them

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const Connection& connection) {
  const TransportSecurity security{connection.plaintext,
                                   {connection.tls_cert, connection.tls_key, connection.tls_ca}};
  return MakeChannelCredentials(security);
}

std::shared_ptr<grpc::Channel> Dial(const std::string& address,
                                    const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestMessage);
  // A channel made anew is a connection made anew.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 10'000);  // the longest wait for a handshake
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

bool MayBeRepeated(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

// What a stream that was cut may end with.
bool IsCut(const absl::Status& status) {
  return MayBeRepeated(status) || absl::IsCancelled(status) || absl::IsInternal(status) || absl::IsUnknown(status) ||
         absl::IsResourceExhausted(status);
}

// Growing pauses.
class BackOff {
 public:
  explicit BackOff(const BenchmarkClientLimits& limits) : limits_(limits) { Reset(); }
  void Reset() { next_ = limits_.first_back_off_ns; }
  int64_t Next() { return std::exchange(next_, std::min(2 * next_, limits_.longest_back_off_ns)); }

 private:
  const BenchmarkClientLimits& limits_;
  int64_t next_ = 0;
};

// What a watcher has heard so far.
struct WatchState {
  explicit WatchState(const BenchmarkClientLimits& limits) : back_off(limits) {}

  v1::Job job;
  uint32_t levels = 0;
  NoteLog notes;
  int64_t last_contact = 0;
  bool lost = false;
  bool heard = false;  // in this call
  int overflows = 0;
  BackOff back_off;
};

class GrpcBenchmarkClient final : public BenchmarkClient {
 public:
  GrpcBenchmarkClient(const Connection& connection, const Clock* clock, const BenchmarkClientLimits& limits,
                      std::function<void(const absl::Status&)> retrying)
      : connection_(connection),
        credentials_(CredentialsOf(connection)),
        clock_(clock),
        limits_(limits),
        retrying_(std::move(retrying)) {
    Redial();
  }

  absl::StatusOr<v1::Job> CreateJob(const v1::CreateJobRequest& request) override {
    return Call<v1::Job>(&Stub::CreateJob, request);
  }

  absl::StatusOr<v1::Job> DescribeJob(const std::string& job_id) override {
    v1::DescribeJobRequest request;
    request.set_job_id(job_id);
    return Call<v1::Job>(&Stub::DescribeJob, request);
  }

  absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest& request) override {
    return Call<v1::ListJobsResponse>(&Stub::ListJobs, request);
  }

  absl::StatusOr<v1::Job> StopJob(const std::string& job_id, bool now) override {
    v1::StopJobRequest request;
    request.set_job_id(job_id);
    request.set_now(now);
    return Call<v1::Job>(&Stub::StopJob, request);
  }

  // A repeated try that finds no job follows one that deleted it.
  absl::Status DeleteJob(const std::string& job_id) override {
    v1::DeleteJobRequest request;
    request.set_job_id(job_id);
    int tries = 0;
    const absl::Status status =
        Call<v1::DeleteJobResponse>(&Stub::DeleteJob, request, limits_.call_ns, &tries).status();
    return absl::IsNotFound(status) && tries > 1 ? absl::OkStatus() : status;
  }

  absl::StatusOr<v1::Result> GetResult(const std::string& job_id) override {
    v1::GetResultRequest request;
    request.set_job_id(job_id);
    absl::StatusOr<v1::GetResultResponse> response =
        Call<v1::GetResultResponse>(&Stub::GetResult, request, limits_.result_ns);
    if (!response.ok()) return response.status();
    return std::move(*response->mutable_result());
  }

  absl::StatusOr<v1::ListAgentsResponse> ListAgents() override {
    return Call<v1::ListAgentsResponse>(&Stub::ListAgents, v1::ListAgentsRequest());
  }

  absl::StatusOr<v1::Job> WatchJob(const std::string& job_id, const WatchEvents& events,
                                   Cancellation* stop) override {
    WatchState state(limits_);
    state.last_contact = clock_->MonotonicNanos();
    while (true) {
      const absl::Status status = WatchOnce(job_id, events, stop, state);
      if (stop->cancelled()) return absl::CancelledError("the watch was stopped");
      if (status.ok()) return state.job;
      if (absl::IsDeadlineExceeded(status) && state.heard) continue;  // its time was up, no more
      if (!IsCut(status) || !MayWatchOn(status, state)) return Explained(status);
      if (!state.lost && events.lost) events.lost(Explained(status));
      state.lost = true;
      if (absl::IsDeadlineExceeded(status)) Redial();
      Pause(state.back_off.Next(), stop);
    }
  }

  absl::StatusOr<std::vector<std::string>> DownloadArtifacts(const std::string& job_id, bool without_records,
                                                             const std::string& folder, Cancellation* stop) override {
    v1::DownloadArtifactsRequest request;
    request.set_job_id(job_id);
    request.set_without_records(without_records);
    BackOff back_off(limits_);
    absl::Status status;
    for (int i = 0; i < kDownloadTries && !stop->cancelled(); ++i) {
      ArtifactWriter writer(folder);
      bool ours = false;
      status = DownloadOnce(request, stop, &writer, &ours);
      if (status.ok()) return writer.paths();
      if (ours) return status;
      if (!IsCut(status)) break;
      if (absl::IsDeadlineExceeded(status)) Redial();
      Pause(back_off.Next(), stop);
    }
    if (stop->cancelled()) return absl::CancelledError("the download was stopped");
    return Explained(status);
  }

 private:
  // Calls that are under way keep the link they began with.
  struct Link {
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<Stub> stub;
  };

  std::shared_ptr<Link> CurrentLink() {
    MutexLock lock(mutex_);
    return link_;
  }

  // For a connection that is dead without having been closed.
  void Redial() {
    auto link = std::make_shared<Link>();
    link->channel = Dial(connection_.coordinator, credentials_);
    link->stub = v1::Benchmark::NewStub(link->channel);
    MutexLock lock(mutex_);
    link_.swap(link);
  }

  void Prepare(grpc::ClientContext& context, int64_t ns) const {
    context.set_deadline(DeadlineIn(ns));
    if (!connection_.token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", connection_.token));
  }

  absl::Status Explained(const absl::Status& status) const {
    return ExplainCallError(status, connection_.coordinator, connection_.plaintext);
  }

  template <typename Response, typename Request>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request, std::optional<int64_t> try_ns = std::nullopt,
                                int* tries = nullptr) {
    const int64_t give_up = clock_->MonotonicNanos() + limits_.patience_ns;
    BackOff back_off(limits_);
    Cancellation never;
    for (bool said = false;; said = true) {
      const std::shared_ptr<Link> link = CurrentLink();
      grpc::ClientContext context;
      Prepare(context, try_ns.value_or(limits_.call_ns));
      Response response;
      const absl::Status status = FromGrpcStatus((link->stub.get()->*method)(&context, request, &response));
      if (tries != nullptr) ++*tries;
      if (status.ok()) return response;
      const int64_t pause = back_off.Next();
      const absl::Status explained = Explained(status);
      if (!MayBeRepeated(explained) || clock_->MonotonicNanos() + pause > give_up) return explained;
      if (!said && retrying_) retrying_(explained);
      if (absl::IsDeadlineExceeded(status)) Redial();
      Pause(pause, &never);
    }
  }

  // One call: until the job has ended (OK) or the stream breaks.
  absl::Status WatchOnce(const std::string& job_id, const WatchEvents& events, Cancellation* stop,
                         WatchState& state) {
    const std::shared_ptr<Link> link = CurrentLink();
    v1::WatchJobRequest request;
    request.set_job_id(job_id);
    request.set_levels_known(state.levels);
    grpc::ClientContext context;
    Prepare(context, limits_.watch_ns);
    const Cancellation::Hook hook(stop, [&context] { context.TryCancel(); });
    const auto reader = link->stub->WatchJob(&context, request);
    state.heard = false;
    for (v1::JobUpdate update; reader->Read(&update);) {
      Contact(events, state);
      Apply(update, events, state);
    }
    absl::Status status = FromGrpcStatus(reader->Finish());
    if (!status.ok() || HasEnded(state.job)) return status;
    return absl::UnavailableError("the stream ended before the job did");
  }

  void Contact(const WatchEvents& events, WatchState& state) const {
    state.last_contact = clock_->MonotonicNanos();
    state.heard = true;
    state.back_off.Reset();
    if (std::exchange(state.lost, false) && events.found) events.found();
  }

  static void Apply(const v1::JobUpdate& update, const WatchEvents& events, WatchState& state) {
    if (update.has_job()) {
      state.job = update.job();
      for (const v1::Note& note : state.notes.Merge(state.job)) {
        if (events.note) events.note(note);
      }
      if (events.job) events.job(state.job);
    } else if (update.has_level()) {
      ++state.levels;
      state.overflows = 0;
      if (events.level) events.level(update.level());
    } else if (update.has_note()) {
      state.notes.Add(update.note());
      if (events.note) events.note(update.note());
    } else if (update.has_progress() && events.progress) {
      events.progress(update.progress());
    }
  }

  // A stream that broke is called again, within bounds.
  bool MayWatchOn(const absl::Status& status, WatchState& state) const {
    if (absl::IsFailedPrecondition(Explained(status))) return false;
    if (absl::IsResourceExhausted(status) && ++state.overflows > kMostOverflows) return false;
    return clock_->MonotonicNanos() - state.last_contact < limits_.no_contact_ns;
  }

  // `ours`: this side's disk or checks ended it.
  absl::Status DownloadOnce(const v1::DownloadArtifactsRequest& request, Cancellation* stop, ArtifactWriter* writer,
                            bool* ours) {
    const std::shared_ptr<Link> link = CurrentLink();
    grpc::ClientContext context;
    Prepare(context, limits_.download_ns);
    const Cancellation::Hook hook(stop, [&context] { context.TryCancel(); });
    const auto reader = link->stub->DownloadArtifacts(&context, request);
    absl::Status written;
    for (v1::ArtifactChunk chunk; written.ok() && reader->Read(&chunk);) written = writer->Write(chunk);
    if (!written.ok()) context.TryCancel();
    absl::Status status = FromGrpcStatus(reader->Finish());
    *ours = !written.ok();
    if (!written.ok()) return written;
    if (!status.ok()) return status;
    absl::Status finished = writer->Finish();
    *ours = !finished.ok();
    return finished;
  }

  // Shorter when `stop` comes, or a connection that was not there. A handshake goes on only while somebody waits for
  // it: gRPC has no thread of its own for that here.
  void Pause(int64_t ns, Cancellation* stop) {
    constexpr int64_t kSlice = 100 * kNanosPerMilli;
    const int64_t end = clock_->MonotonicNanos() + ns;
    const std::shared_ptr<Link> link = CurrentLink();
    const bool connected = link->channel->GetState(true) == GRPC_CHANNEL_READY;
    for (int64_t now = clock_->MonotonicNanos(); now < end && !stop->cancelled(); now = clock_->MonotonicNanos()) {
      const int64_t slice = std::min(end - now, kSlice);
      if (connected) {
        Wait(slice);
      } else if (link->channel->WaitForConnected(DeadlineIn(slice))) {
        return;
      }
    }
  }

  static void Wait(int64_t ns) {
    Mutex mutex;
    CondVar never;
    MutexLock lock(mutex);
    never.WaitFor(mutex, ns);
  }

  const Connection connection_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  const Clock* const clock_;
  const BenchmarkClientLimits limits_;
  const std::function<void(const absl::Status&)> retrying_;
  Mutex mutex_;
  std::shared_ptr<Link> link_ TIDEMARK_GUARDED_BY(mutex_);
};

bool IsTokenByte(char c) { return absl::ascii_isgraph(static_cast<unsigned char>(c)); }

absl::Status CheckToken(const std::string& token) {
  constexpr size_t kLongest = 4'096;
  if (token.size() <= kLongest && std::all_of(token.begin(), token.end(), IsTokenByte)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the bearer token has spaces or other characters that no token has, or is too long: want "
      "the token alone, on one line");
}

}  // namespace

absl::StatusOr<std::unique_ptr<BenchmarkClient>> BenchmarkClient::Create(
    const Connection& connection, const Clock* clock, const BenchmarkClientLimits& limits,
    std::function<void(const absl::Status&)> retrying) {
  const absl::StatusOr<NetAddress> address = ParseDialAddress("--coordinator", connection.coordinator);
  if (!address.ok()) return address.status();
  const TransportSecurity security{connection.plaintext,
                                   {connection.tls_cert, connection.tls_key, connection.tls_ca}};
  absl::Status status = CheckSecurity(security, Role::kClient, clock->WallNanos());
  if (status.ok()) status = CheckToken(connection.token);
  if (!status.ok()) return status;
  return std::make_unique<GrpcBenchmarkClient>(connection, clock, limits, std::move(retrying));
}

}  // namespace tidemark
