#include "coordinator/rpc/benchmark_service.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "common/thread/serial_worker.h"
#include "coordinator/rpc/answer_once.h"
#include "coordinator/rpc/benchmark_streams.h"
#include "coordinator/rpc/request_rules.h"

namespace tidemark {
namespace {

constexpr int kMostWatches = 256;
constexpr int kMostDownloads = 32;

absl::Status TooMany(absl::string_view what, int most) {
  return absl::ResourceExhaustedError(
      absl::StrCat(most, " ", what, " are under way, which is the most: call again when one has ended"));
}

class BenchmarkService final : public v1::Benchmark::CallbackService {
 public:
  BenchmarkService(BenchmarkHandler* handler, Authorizer* authorizer)
      : handler_(handler), authorizer_(authorizer), disk_(&RealClock()) {}

  grpc::ServerUnaryReactor* CreateJob(grpc::CallbackServerContext* context, const v1::CreateJobRequest* request,
                                      v1::Job* response) override {
    const absl::StatusOr<std::string> caller = CallerOf(*context);
    const absl::Status fine = caller.ok() ? CheckRequest(*request) : caller.status();
    return Answered<v1::Job>(context, response, fine,
                             [&](auto answer) { handler_->CreateJob(*request, *caller, std::move(answer)); });
  }

  grpc::ServerUnaryReactor* DescribeJob(grpc::CallbackServerContext* context, const v1::DescribeJobRequest* request,
                                        v1::Job* response) override {
    return Answered<v1::Job>(context, response, Check(*context, request->job_id()),
                             [&](auto answer) { handler_->DescribeJob(request->job_id(), std::move(answer)); });
  }

  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context, const v1::ListJobsRequest* request,
                                     v1::ListJobsResponse* response) override {
    const absl::Status caller = CallerOf(*context).status();
    const absl::Status fine = caller.ok() ? CheckRequest(*request) : caller;
    return Answered<v1::ListJobsResponse>(context, response, fine,
                                          [&](auto answer) { handler_->ListJobs(*request, std::move(answer)); });
  }

  grpc::ServerUnaryReactor* StopJob(grpc::CallbackServerContext* context, const v1::StopJobRequest* request,
                                    v1::Job* response) override {
    return Answered<v1::Job>(context, response, Check(*context, request->job_id()),
                             [&](auto answer) { handler_->StopJob(*request, std::move(answer)); });
  }

  grpc::ServerUnaryReactor* DeleteJob(grpc::CallbackServerContext* context, const v1::DeleteJobRequest* request,
                                      v1::DeleteJobResponse* response) override {
    return Answered<v1::DeleteJobResponse>(context, response, Check(*context, request->job_id()), [&](auto answer) {
      handler_->DeleteJob(request->job_id(), std::move(answer));
    });
  }

  grpc::ServerUnaryReactor* GetResult(grpc::CallbackServerContext* context, const v1::GetResultRequest* request,
                                      v1::GetResultResponse* response) override {
    return Answered<v1::GetResultResponse>(context, response, Check(*context, request->job_id()), [&](auto answer) {
      handler_->GetResult(request->job_id(), std::move(answer));
    });
  }

  grpc::ServerUnaryReactor* ListAgents(grpc::CallbackServerContext* context, const v1::ListAgentsRequest*,
                                       v1::ListAgentsResponse* response) override {
    return Answered<v1::ListAgentsResponse>(context, response, CallerOf(*context).status(),
                                            [&](auto answer) { handler_->ListAgents(std::move(answer)); });
  }

  grpc::ServerWriteReactor<v1::JobUpdate>* WatchJob(grpc::CallbackServerContext* context,
                                                    const v1::WatchJobRequest* request) override {
    const absl::Status fine = Check(*context, request->job_id());
    if (!fine.ok()) return Refused<v1::JobUpdate>(fine);
    std::shared_ptr<void> slot = watches_.Take();
    if (slot == nullptr) return Refused<v1::JobUpdate>(TooMany("watchers", kMostWatches));
    return StartWatch(handler_, std::move(slot), updates_, *request);
  }

  grpc::ServerWriteReactor<v1::ArtifactChunk>* DownloadArtifacts(
      grpc::CallbackServerContext* context, const v1::DownloadArtifactsRequest* request) override {
    const absl::Status fine = Check(*context, request->job_id());
    if (!fine.ok()) return Refused<v1::ArtifactChunk>(fine);
    std::shared_ptr<void> slot = downloads_.Take();
    if (slot == nullptr) return Refused<v1::ArtifactChunk>(TooMany("downloads", kMostDownloads));
    return StartDownload(handler_, std::move(slot), &disk_, *request);
  }

 private:
  absl::StatusOr<std::string> CallerOf(const grpc::CallbackServerContext& context) {
    if (authorizer_ == nullptr) return std::string();
    absl::StatusOr<Caller> caller = authorizer_->Authorize(context, Role::kClient);
    if (!caller.ok()) return caller.status();
    return std::move(caller->name);
  }

  // Of a call that names a job: the caller first, who learns nothing else when refused.
  absl::Status Check(const grpc::CallbackServerContext& context, const std::string& job_id) {
    const absl::Status caller = CallerOf(context).status();
    return caller.ok() ? CheckJobId(job_id) : caller;
  }

  // Lets `ask` ask the handler, unless `fine` refuses the call. gRPC keeps the reactor and the response until Finish,
  // also of a call that the client has cancelled.
  template <typename T, typename Ask>
  static grpc::ServerUnaryReactor* Answered(grpc::CallbackServerContext* context, T* response,
                                            const absl::Status& fine, Ask ask) {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    if (!fine.ok()) {
      reactor->Finish(ToGrpc(fine));
      return reactor;
    }
    ask(AnswerOnce<T>([reactor, response](absl::StatusOr<T> answer) {
      const grpc::Status status = ToGrpc(answer.status());
      if (answer.ok()) *response = *std::move(answer);
      reactor->Finish(status);
    }));
    return reactor;
  }

  BenchmarkHandler* const handler_;
  Authorizer* const authorizer_;
  CallSlots watches_{kMostWatches};
  CallSlots downloads_{kMostDownloads};
  const std::shared_ptr<UpdateBudget> updates_ = std::make_shared<UpdateBudget>();
  SerialWorker disk_;  // reads result files: gRPC's threads never wait for a disk
};

}  // namespace

std::unique_ptr<v1::Benchmark::CallbackService> NewBenchmarkService(BenchmarkHandler* handler,
                                                                    Authorizer* authorizer) {
  return std::make_unique<BenchmarkService>(handler, authorizer);
}

}  // namespace tidemark
