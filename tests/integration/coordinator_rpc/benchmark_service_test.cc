#include "coordinator/rpc/benchmark_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/rpc/update_queue.h"
#include "tests/support/fake_coordinator.h"
#include "tests/support/process.h"

namespace tidemark {
namespace {

using testing::BenchmarkServer;
using ::testing::ElementsAre;
using testing::Eventually;
using testing::FakeCoordinator;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::TemporaryFolder;

constexpr int64_t kPatienceMs = 20'000;

std::unique_ptr<grpc::ClientContext> Context() {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(kPatienceMs));
  return context;
}

class BenchmarkServiceTest : public ::testing::Test {
 protected:
  BenchmarkServiceTest()
      : server_(&coordinator_),
        stub_(v1::Benchmark::NewStub(server_.server().InProcessChannel(grpc::ChannelArguments()))) {}

  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (v1::Benchmark::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response* response) {
    return (stub_.get()->*method)(Context().get(), request, response);
  }

  static v1::CreateJobRequest Create(const std::string& client_request_id) {
    v1::CreateJobRequest request;
    request.set_client_request_id(client_request_id);
    request.set_job_yaml("name: a");
    return request;
  }

  FakeCoordinator coordinator_;
  BenchmarkServer server_;
  std::unique_ptr<v1::Benchmark::Stub> stub_;
};

TEST_F(BenchmarkServiceTest, AnswersComeFromTheHandler) {
  v1::Job job;
  const grpc::Status status = Call(&v1::Benchmark::Stub::CreateJob, Create("one"), &job);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(job.id(), "job-1");
  EXPECT_EQ(job.client_request_id(), "one");
}

TEST_F(BenchmarkServiceTest, RefusalsOfTheHandlerKeepTheirCodeAndText) {
  v1::DescribeJobRequest request;
  request.set_job_id("job-7");
  v1::Job job;
  const grpc::Status status = Call(&v1::Benchmark::Stub::DescribeJob, request, &job);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "there is no job job-7");
}

TEST_F(BenchmarkServiceTest, AWrongRequestDoesNotReachTheHandler) {
  v1::Job job;
  const grpc::Status status = Call(&v1::Benchmark::Stub::CreateJob, Create("no spaces"), &job);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("client_request_id is \"no spaces\""));
  EXPECT_THAT(coordinator_.creates(), SizeIs(0));
}

TEST_F(BenchmarkServiceTest, AWrongJobIdIsRefusedByEachCallThatNamesOne) {
  v1::StopJobRequest stop;
  stop.set_job_id("../a");
  v1::Job job;
  EXPECT_EQ(Call(&v1::Benchmark::Stub::StopJob, stop, &job).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  v1::WatchJobRequest watch;
  watch.set_job_id("../a");
  const auto context = Context();
  const auto reader = stub_->WatchJob(context.get(), watch);
  v1::JobUpdate update;
  EXPECT_FALSE(reader->Read(&update));
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  v1::DownloadArtifactsRequest download;
  download.set_job_id("../a");
  const auto download_context = Context();
  const auto chunks = stub_->DownloadArtifacts(download_context.get(), download);
  v1::ArtifactChunk chunk;
  EXPECT_FALSE(chunks->Read(&chunk));
  EXPECT_EQ(chunks->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

// A handler that keeps the answer that it owes.
class Forgetful final : public BenchmarkHandler {
 public:
  void CreateJob(v1::CreateJobRequest, std::string, Answer<v1::Job>) override {}
  void DescribeJob(std::string, Answer<v1::Job> answer) override {
    MutexLock lock(mutex_);
    kept_ = std::move(answer);
  }
  void ListJobs(v1::ListJobsRequest, Answer<v1::ListJobsResponse>) override {}
  void StopJob(v1::StopJobRequest, Answer<v1::Job>) override {}
  void DeleteJob(std::string, Answer<v1::DeleteJobResponse>) override {}
  void GetResult(std::string, Answer<v1::GetResultResponse>) override {}
  void ListAgents(Answer<v1::ListAgentsResponse>) override {}
  void ArtifactFolder(std::string, Answer<std::string>) override {}
  uint64_t Watch(v1::WatchJobRequest, std::function<void(const v1::JobUpdate&)>,
                 std::function<void(absl::Status)>) override {
    return 0;
  }
  void Unwatch(uint64_t) override {}

  Answer<v1::Job> TakeAnswer() {
    MutexLock lock(mutex_);
    return std::exchange(kept_, nullptr);
  }

 private:
  Mutex mutex_;
  Answer<v1::Job> kept_ TIDEMARK_GUARDED_BY(mutex_);
};

TEST(BenchmarkServiceAnswers, AnAnswerToACallThatTheClientLeftIsHarmless) {
  Forgetful handler;
  const BenchmarkServer server(&handler);
  const auto stub = v1::Benchmark::NewStub(grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
  v1::DescribeJobRequest request;
  request.set_job_id("a");
  v1::Job job;
  EXPECT_EQ(stub->DescribeJob(&context, request, &job).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  BenchmarkHandler::Answer<v1::Job> answer;
  ASSERT_TRUE(Eventually(kPatienceMs, [&] { return (answer = handler.TakeAnswer()) != nullptr; }));
  answer(v1::Job());
  answer(v1::Job());  // a second one does nothing
}

TEST(BenchmarkServiceAnswers, ACallWhoseAnswerIsDroppedEnds) {
  Forgetful handler;
  const BenchmarkServer server(&handler);
  const auto stub = v1::Benchmark::NewStub(grpc::CreateChannel(server.address(), grpc::InsecureChannelCredentials()));
  v1::CreateJobRequest request;
  request.set_client_request_id("a");
  request.set_job_yaml("a: b");
  v1::Job job;
  const grpc::Status status = stub->CreateJob(Context().get(), request, &job);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

class WatchTest : public BenchmarkServiceTest {
 protected:
  void Watch(const std::string& job_id, uint32_t levels_known = 0) {
    v1::WatchJobRequest request;
    request.set_job_id(job_id);
    request.set_levels_known(levels_known);
    context_ = Context();
    reader_ = stub_->WatchJob(context_.get(), request);
  }

  v1::JobUpdate Next() {
    v1::JobUpdate update;
    EXPECT_TRUE(reader_->Read(&update));
    return update;
  }

  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReader<v1::JobUpdate>> reader_;
};

TEST_F(WatchTest, GivesTheJobThenTheLevelsThenItsEnd) {
  const std::string job = coordinator_.Add("a");
  coordinator_.Level(job, 1);
  coordinator_.Level(job, 8);
  Watch(job, 1);
  EXPECT_EQ(Next().job().id(), job);
  EXPECT_EQ(Next().level().concurrency(), 8u);
  coordinator_.Note(job, "a note");
  EXPECT_EQ(Next().note().text(), "a note");
  coordinator_.End(job, v1::COMPLETED);
  EXPECT_EQ(Next().job().state(), v1::COMPLETED);
  v1::JobUpdate none;
  EXPECT_FALSE(reader_->Read(&none));
  EXPECT_TRUE(reader_->Finish().ok());
}

TEST_F(WatchTest, AWatcherThatLeavesIsForgottenAndTheJobGoesOn) {
  const std::string job = coordinator_.Add("a");
  Watch(job);
  Next();
  EXPECT_EQ(coordinator_.watchers(), 1);
  context_->TryCancel();
  EXPECT_EQ(reader_->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(Eventually(kPatienceMs, [&] { return coordinator_.watchers() == 0; }));
  EXPECT_THAT(coordinator_.stops(), SizeIs(0));
}

TEST_F(WatchTest, ASlowWatcherGetsTheLatestProgressAndEveryNote) {
  const std::string job = coordinator_.Add("a");
  Watch(job);
  Next();
  constexpr int kRounds = 500;
  for (int i = 1; i <= kRounds; ++i) {
    v1::JobUpdate progress;
    progress.mutable_progress()->set_done(static_cast<uint64_t>(i));
    progress.mutable_progress()->set_phase(std::string(20'000, 'p'));  // more than flow control lets through
    coordinator_.Say(job, progress);
    if (i % 10 == 0) coordinator_.Note(job, std::to_string(i));
  }
  coordinator_.End(job, v1::COMPLETED);
  uint64_t last_progress = 0;
  int progresses = 0;
  std::vector<std::string> notes;
  for (v1::JobUpdate update; reader_->Read(&update);) {
    if (update.has_note()) notes.push_back(update.note().text());
    if (!update.has_progress()) continue;
    EXPECT_GT(update.progress().done(), last_progress);
    last_progress = update.progress().done();
    ++progresses;
  }
  EXPECT_TRUE(reader_->Finish().ok());
  EXPECT_EQ(last_progress, 500u);
  EXPECT_LT(progresses, kRounds);
  ASSERT_THAT(notes, SizeIs(kRounds / 10));
  for (int i = 0; i < kRounds / 10; ++i) EXPECT_EQ(notes[static_cast<size_t>(i)], std::to_string((i + 1) * 10));
}

TEST_F(WatchTest, AWatcherThatDoesNotReadIsEnded) {
  const std::string job = coordinator_.Add("a");
  Watch(job);
  Next();
  for (size_t i = 0; i < UpdateQueue::kMostUpdates + 2'000; ++i) {
    v1::JobUpdate note;
    note.mutable_note()->set_text(std::string(500, 'n'));
    coordinator_.Say(job, note);
  }
  for (v1::JobUpdate update; reader_->Read(&update);) {
  }
  const grpc::Status status = reader_->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("call again"));
}

TEST_F(WatchTest, OfNoJobIsNotFound) {
  Watch("job-9");
  v1::JobUpdate update;
  EXPECT_FALSE(reader_->Read(&update));
  EXPECT_EQ(reader_->Finish().error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(WatchTest, TooManyWatchersAreRefused) {
  const std::string job = coordinator_.Add("a");
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReader<v1::JobUpdate>>> readers;
  for (int i = 0; i < 256; ++i) {
    Watch(job);
    contexts.push_back(std::move(context_));
    readers.push_back(std::move(reader_));
  }
  ASSERT_TRUE(Eventually(kPatienceMs, [&] { return coordinator_.watchers() == 256; }));
  Watch(job);
  v1::JobUpdate update;
  EXPECT_FALSE(reader_->Read(&update));
  EXPECT_EQ(reader_->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  for (const auto& context : contexts) context->TryCancel();
  for (const auto& reader : readers) reader->Finish();
}

class DownloadTest : public BenchmarkServiceTest {
 protected:
  grpc::Status Download(bool without_records) {
    v1::DownloadArtifactsRequest request;
    request.set_job_id("job-1");
    request.set_without_records(without_records);
    const auto context = Context();
    const auto reader = stub_->DownloadArtifacts(context.get(), request);
    for (v1::ArtifactChunk chunk; reader->Read(&chunk);) {
      bytes_ += chunk.data().size();
      if (chunk.last()) paths_.push_back(chunk.path());
    }
    return reader->Finish();
  }

  std::vector<std::string> paths_;
  size_t bytes_ = 0;
};

TEST_F(DownloadTest, SendsEveryFileInOrder) {
  const TemporaryFolder folder;
  folder.Write("result.json", "{}");
  std::filesystem::create_directory(folder.File("concurrency_8"));
  folder.Write("concurrency_8/profile_export.jsonl", std::string(5'000'000, 'r'));
  coordinator_.Add("a");
  coordinator_.SetArtifacts(folder.path());
  ASSERT_TRUE(Download(false).ok());
  EXPECT_THAT(paths_, ElementsAre("concurrency_8/profile_export.jsonl", "result.json"));
  EXPECT_EQ(bytes_, 5'000'002u);
}

TEST_F(DownloadTest, LeavesRecordsOut) {
  const TemporaryFolder folder;
  folder.Write("profile_export.jsonl", "r");
  folder.Write("result.json", "{}");
  coordinator_.Add("a");
  coordinator_.SetArtifacts(folder.path());
  ASSERT_TRUE(Download(true).ok());
  EXPECT_THAT(paths_, ElementsAre("result.json"));
}

TEST_F(DownloadTest, OfNoJobIsNotFound) { EXPECT_EQ(Download(false).error_code(), grpc::StatusCode::NOT_FOUND); }

TEST_F(DownloadTest, ThatTheClientLeavesEnds) {
  const TemporaryFolder folder;
  folder.Write("large", std::string(30'000'000, 'a'));
  coordinator_.Add("a");
  coordinator_.SetArtifacts(folder.path());
  v1::DownloadArtifactsRequest request;
  request.set_job_id("job-1");
  const auto context = Context();
  const auto reader = stub_->DownloadArtifacts(context.get(), request);
  v1::ArtifactChunk chunk;
  ASSERT_TRUE(reader->Read(&chunk));
  context->TryCancel();
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

// Tokens only: certificates are the authorizer's own test.
TEST(BenchmarkServiceCallers, WithoutATokenNothingIsAnsweredAndWithOneItsNameIsTheCreator) {
  const TemporaryFolder folder;
  // Of "secret".
  const std::string tokens =
      folder.Write("tokens", "alice 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n");
  const auto authorizer = Authorizer::Create({false, tokens});
  ASSERT_TRUE(authorizer.ok()) << authorizer.status();
  FakeCoordinator coordinator;
  BenchmarkServer server(&coordinator, authorizer->get());
  const auto stub = v1::Benchmark::NewStub(server.server().InProcessChannel(grpc::ChannelArguments()));
  v1::ListAgentsResponse agents;
  EXPECT_EQ(stub->ListAgents(Context().get(), v1::ListAgentsRequest(), &agents).error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  v1::WatchJobRequest watch;
  watch.set_job_id("job-1");
  const auto watch_context = Context();
  EXPECT_EQ(stub->WatchJob(watch_context.get(), watch)->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  const auto context = Context();
  context->AddMetadata("authorization", "Bearer secret");
  v1::CreateJobRequest create;
  create.set_client_request_id("one");
  create.set_job_yaml("name: a");
  v1::Job job;
  const grpc::Status status = stub->CreateJob(context.get(), create, &job);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(job.created_by(), "alice");
}

}  // namespace
}  // namespace tidemark
