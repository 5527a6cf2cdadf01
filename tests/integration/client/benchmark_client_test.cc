#include "client/benchmark_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/mutex.h"
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

BenchmarkClientLimits QuickLimits() {
  BenchmarkClientLimits limits;
  limits.patience_ns = 5 * kNanosPerSecond;
  limits.no_contact_ns = 20 * kNanosPerSecond;
  limits.first_back_off_ns = 20 * kNanosPerMilli;
  limits.longest_back_off_ns = 100 * kNanosPerMilli;
  return limits;
}

std::unique_ptr<BenchmarkClient> ClientOf(const std::string& address,
                                          const BenchmarkClientLimits& limits = QuickLimits()) {
  Connection connection;
  connection.coordinator = address;
  connection.plaintext = true;
  absl::StatusOr<std::unique_ptr<BenchmarkClient>> client = BenchmarkClient::Create(connection, &RealClock(), limits);
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

v1::CreateJobRequest Create() {
  v1::CreateJobRequest request;
  request.set_client_request_id("one");
  request.set_job_yaml("name: a");
  return request;
}

TEST(BenchmarkClient, RefusesAnAddressWithoutAPort) {
  Connection connection;
  connection.coordinator = "localhost";
  connection.plaintext = true;
  const absl::Status status = BenchmarkClient::Create(connection, &RealClock()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--coordinator"));
}

TEST(BenchmarkClient, RefusesATokenOfTwoLinesWithoutShowingIt) {
  Connection connection;
  connection.coordinator = "localhost:1";
  connection.plaintext = true;
  connection.token = "geheim\ngeheim";
  const absl::Status status = BenchmarkClient::Create(connection, &RealClock()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), ::testing::Not(HasSubstr("geheim")));
}

TEST(BenchmarkClient, AJobWhoseFirstAnswerWasLostIsMadeOnce) {
  FakeCoordinator coordinator;
  coordinator.LoseCreateAnswers(2);
  const BenchmarkServer server(&coordinator);
  const absl::StatusOr<v1::Job> job = ClientOf(server.address())->CreateJob(Create());
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->id(), "job-1");
  EXPECT_THAT(coordinator.creates(), SizeIs(3));
  EXPECT_EQ(coordinator.jobs(), 1);
}

TEST(BenchmarkClient, GivesUpInTimeAndSaysWhere) {
  BenchmarkClientLimits limits = QuickLimits();
  limits.patience_ns = 300 * kNanosPerMilli;
  const std::string address = "127.0.0.1:" + std::to_string(testing::FreePort());
  const int64_t begin = testing::NowMs();
  const absl::Status status = ClientOf(address, limits)->ListAgents().status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot reach the coordinator at " + address));
  EXPECT_LT(testing::NowMs() - begin, 10'000);
}

TEST(BenchmarkClient, WaitsForACoordinatorThatComes) {
  FakeCoordinator coordinator;
  const int port = testing::FreePort();
  std::optional<BenchmarkServer> server;
  std::thread late([&] {
    testing::PauseMs(300);
    server.emplace(&coordinator, nullptr, port);
  });
  const absl::Status status = ClientOf("127.0.0.1:" + std::to_string(port))->ListAgents().status();
  late.join();
  EXPECT_TRUE(status.ok()) << status;
}

TEST(BenchmarkClient, ARefusalIsNotRepeated) {
  FakeCoordinator coordinator;
  const BenchmarkServer server(&coordinator);
  v1::CreateJobRequest request = Create();
  request.set_client_request_id("not allowed");
  const absl::Status status = ClientOf(server.address())->CreateJob(request).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_TRUE(absl::IsNotFound(ClientOf(server.address())->DescribeJob("job-1").status()));
}

// A watcher on a thread of its own.
class Watch {
 public:
  Watch(BenchmarkClient* client, const std::string& job_id) {
    WatchEvents events;
    events.job = [this](const v1::Job& job) { Add(v1::JobState_Name(job.state())); };
    events.level = [this](const v1::LevelResult& level) { Add(std::to_string(level.concurrency())); };
    events.note = [this](const v1::Note& note) { Add(note.text()); };
    events.lost = [this](const absl::Status&) { Add("lost"); };
    events.found = [this] { Add("found"); };
    thread_ = std::thread([this, client, job_id, events] { result_ = client->WatchJob(job_id, events, &stop_); });
  }
  ~Watch() {
    stop_.Cancel();
    if (thread_.joinable()) thread_.join();
  }

  std::vector<std::string> heard() {
    MutexLock lock(mutex_);
    return heard_;
  }
  bool Heard(const std::string& text) {
    return Eventually(kPatienceMs, [&] {
      const std::vector<std::string> now = heard();
      return std::find(now.begin(), now.end(), text) != now.end();
    });
  }
  void Stop() { stop_.Cancel(); }
  absl::StatusOr<v1::Job> Result() {
    thread_.join();
    return result_;
  }

 private:
  void Add(const std::string& text) {
    MutexLock lock(mutex_);
    heard_.push_back(text);
  }

  Mutex mutex_;
  std::vector<std::string> heard_ TIDEMARK_GUARDED_BY(mutex_);
  Cancellation stop_;
  absl::StatusOr<v1::Job> result_ = absl::UnknownError("still watching");
  std::thread thread_;
};

TEST(BenchmarkClientWatch, TellsAllUntilTheJobHasEnded) {
  FakeCoordinator coordinator;
  const BenchmarkServer server(&coordinator);
  const std::string job = coordinator.Add("a");
  const auto client = ClientOf(server.address());
  Watch watch(client.get(), job);
  ASSERT_TRUE(watch.Heard("RUNNING"));
  coordinator.Note(job, "a note");
  coordinator.Level(job, 8);
  coordinator.End(job, v1::COMPLETED);
  const absl::StatusOr<v1::Job> ended = watch.Result();
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->state(), v1::COMPLETED);
  EXPECT_THAT(watch.heard(), ElementsAre("RUNNING", "a note", "8", "COMPLETED"));
}

TEST(BenchmarkClientWatch, GoesOnAfterACutAndHearsNothingTwice) {
  FakeCoordinator coordinator;
  std::optional<BenchmarkServer> server;
  server.emplace(&coordinator);
  const int port = server->port();
  const std::string job = coordinator.Add("a");
  const auto client = ClientOf(server->address());
  Watch watch(client.get(), job);
  ASSERT_TRUE(watch.Heard("RUNNING"));
  coordinator.Level(job, 1);
  coordinator.Note(job, "before");
  ASSERT_TRUE(watch.Heard("before"));
  server.reset();
  ASSERT_TRUE(watch.Heard("lost"));
  coordinator.Level(job, 8);
  coordinator.Note(job, "meanwhile");
  server.emplace(&coordinator, nullptr, port);
  ASSERT_TRUE(watch.Heard("8"));
  coordinator.End(job, v1::COMPLETED);
  ASSERT_TRUE(watch.Result().ok());
  EXPECT_THAT(watch.heard(),
              ElementsAre("RUNNING", "1", "before", "lost", "found", "meanwhile", "RUNNING", "8", "COMPLETED"));
  EXPECT_EQ(coordinator.watches().back().levels_known(), 1u);
}

TEST(BenchmarkClientWatch, ACallWhoseTimeIsUpIsNoLoss) {
  FakeCoordinator coordinator;
  const BenchmarkServer server(&coordinator);
  const std::string job = coordinator.Add("a");
  BenchmarkClientLimits limits = QuickLimits();
  limits.watch_ns = 300 * kNanosPerMilli;
  const auto client = ClientOf(server.address(), limits);
  Watch watch(client.get(), job);
  ASSERT_TRUE(Eventually(kPatienceMs, [&] { return coordinator.watches().size() >= 3; }));
  coordinator.End(job, v1::COMPLETED);
  ASSERT_TRUE(watch.Result().ok());
  for (const std::string& text : watch.heard()) EXPECT_NE(text, "lost");
}

TEST(BenchmarkClientWatch, GivesUpWithoutContact) {
  BenchmarkClientLimits limits = QuickLimits();
  limits.no_contact_ns = 300 * kNanosPerMilli;
  const auto client = ClientOf("127.0.0.1:" + std::to_string(testing::FreePort()), limits);
  Watch watch(client.get(), "job-1");
  EXPECT_TRUE(absl::IsUnavailable(watch.Result().status()));
}

TEST(BenchmarkClientWatch, EndsWhenItIsStopped) {
  FakeCoordinator coordinator;
  const BenchmarkServer server(&coordinator);
  const std::string job = coordinator.Add("a");
  const auto client = ClientOf(server.address());
  Watch watch(client.get(), job);
  ASSERT_TRUE(watch.Heard("RUNNING"));
  watch.Stop();
  EXPECT_TRUE(absl::IsCancelled(watch.Result().status()));
}

TEST(BenchmarkClientWatch, OfNoJobEndsAtOnce) {
  FakeCoordinator coordinator;
  const BenchmarkServer server(&coordinator);
  const auto client = ClientOf(server.address());
  Watch watch(client.get(), "job-9");
  EXPECT_TRUE(absl::IsNotFound(watch.Result().status()));
}

TEST(BenchmarkClientWatch, OfAJobThatHasEndedGivesItsLevels) {
  FakeCoordinator coordinator;
  const BenchmarkServer server(&coordinator);
  const std::string job = coordinator.Add("a");
  coordinator.Level(job, 8);
  coordinator.End(job, v1::COMPLETED);
  const auto client = ClientOf(server.address());
  Watch watch(client.get(), job);
  ASSERT_TRUE(watch.Result().ok());
  EXPECT_THAT(watch.heard(), ElementsAre("COMPLETED", "8"));
}

TEST(BenchmarkClientDownload, WritesEveryFile) {
  const TemporaryFolder from, into;
  from.Write("result.json", "{}");
  std::filesystem::create_directory(from.File("concurrency_8"));
  from.Write("concurrency_8/profile_export.jsonl", std::string(3'000'000, 'r'));
  FakeCoordinator coordinator;
  coordinator.SetArtifacts(from.path());
  const BenchmarkServer server(&coordinator);
  const std::string job = coordinator.Add("a");
  Cancellation stop;
  const auto paths = ClientOf(server.address())->DownloadArtifacts(job, false, into.File("out"), &stop);
  ASSERT_TRUE(paths.ok()) << paths.status();
  EXPECT_THAT(*paths, ElementsAre("concurrency_8/profile_export.jsonl", "result.json"));
  EXPECT_EQ(testing::ReadFile(into.File("out/concurrency_8/profile_export.jsonl")), std::string(3'000'000, 'r'));
}

// A coordinator that means harm.
class Hostile final : public v1::Benchmark::Service {
 public:
  grpc::Status DownloadArtifacts(grpc::ServerContext*, const v1::DownloadArtifactsRequest*,
                                 grpc::ServerWriter<v1::ArtifactChunk>* writer) override {
    v1::ArtifactChunk chunk;
    chunk.set_path("../escaped");
    chunk.set_data("x");
    chunk.set_last(true);
    writer->Write(chunk);
    return grpc::Status::OK;
  }
};

TEST(BenchmarkClientDownload, AHostileCoordinatorWritesNothingElsewhere) {
  Hostile service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const TemporaryFolder into;
  Cancellation stop;
  const auto paths =
      ClientOf("127.0.0.1:" + std::to_string(port))->DownloadArtifacts("job-1", false, into.File("out"), &stop);
  EXPECT_TRUE(absl::IsInvalidArgument(paths.status())) << paths.status();
  EXPECT_FALSE(std::filesystem::exists(into.File("escaped")));
}

}  // namespace
}  // namespace tidemark
