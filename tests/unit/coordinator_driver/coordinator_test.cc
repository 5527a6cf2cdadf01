#include "coordinator/driver/coordinator.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/measurement/facts_codec.h"
#include "tests/unit/coordinator_driver/coordinator_scenario.h"

namespace tidemark {
namespace {

using testing::HasSubstr;
using Kind = v1::CoordinatorMessage;

absl::StatusOr<v1::Job> Stop(CoordinatorScenario& s, const std::string& job_id) {
  v1::StopJobRequest stop;
  stop.set_job_id(job_id);
  return s.Ask<v1::Job>([&](auto answer) { s.coordinator().StopJob(stop, std::move(answer)); });
}

absl::StatusOr<v1::GetResultResponse> Result(CoordinatorScenario& s, const std::string& job_id) {
  return s.Ask<v1::GetResultResponse>([&](auto answer) { s.coordinator().GetResult(job_id, std::move(answer)); });
}

absl::Status Delete(CoordinatorScenario& s, const std::string& job_id) {
  return s.Ask<v1::DeleteJobResponse>([&](auto answer) { s.coordinator().DeleteJob(job_id, std::move(answer)); })
      .status();
}

// ---- what clients send ----

TEST(CoordinatorJobs, ACommandsSecretIsNotKept) {
  MemoryDisk disk;
  CoordinatorScenario s(&disk);
  v1::CreateJobRequest request;
  request.set_client_request_id("r1");
  request.set_job_yaml("endpoint: {url: http://host.example:8000, model: m}\nparameters: {concurrency: [2]}\n");
  for (const char* word : {"sweep", "--api-key", "s3cret", "-H", "Authorization: s3cret", "--url=http://h?token=s3cret"}) {
    request.add_command(word);
  }
  ASSERT_TRUE(s.Ask<v1::Job>([&](auto answer) { s.coordinator().CreateJob(request, "raw", std::move(answer)); }).ok());
  MutexLock lock(disk.mutex);
  ASSERT_EQ(disk.jobs.size(), 1u);
  EXPECT_THAT(disk.jobs.begin()->second.ShortDebugString(), testing::Not(HasSubstr("s3cret")));
  EXPECT_EQ(disk.jobs.begin()->second.command(0), "sweep");
}

TEST(CoordinatorJobs, AJobMaySayHowLongItWaitsForAgents) {
  CoordinatorScenario s;  // the coordinator's own wait is 60 s
  const absl::StatusOr<v1::Job> job = s.CreateYaml(
      "endpoint: {url: http://host.example:8000, model: m}\nagent_wait: 3\nparameters: {concurrency: [2]}\n", "r1");
  ASSERT_TRUE(job.ok()) << job.status();
  s.Advance(5 * kNanosPerSecond);
  EXPECT_THAT(s.Await(job->id(), v1::FAILED).failure_reason(), HasSubstr("no agent came within 3 s"));
}

TEST(CoordinatorJobs, AResultRepeatsNoWarning) {
  CoordinatorScenario s;
  const auto prober = s.Join("b", {Kind::kProbe});
  const v1::Job job = *s.Create("2");
  prober->Await(Kind::kProbe);
  for (int i = 0; i < 2; ++i) {
    const auto agent = s.Join("a");
    agent->Await(Kind::kWelcome);
    v1::AgentMessage leaving;
    leaving.mutable_leaving()->set_reason("bye");
    agent->Say(std::move(leaving));
    agent->AwaitClose();
  }
  ASSERT_TRUE(Stop(s, job.id()).ok());
  s.Await(job.id(), v1::STOPPED);
  const auto result = Result(s, job.id());
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& warnings = result->result().warnings();
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), "agent a is lost: it left: bye"), 1);
}

// ---- records ----

TEST(CoordinatorRecords, OnlyWhatIsKeptCountsAsWritten) {
  CoordinatorScenario s;
  const auto agent = s.Join("a", {Kind::kStop, Kind::kPullRecords});
  const v1::Job job = *s.Create("2");
  FinalSnapshot snapshot;
  snapshot.deltas = 1;
  snapshot.measured.sent = snapshot.measured.ok = 4;
  snapshot.records_written = 4;
  snapshot.records_bytes = 100;
  v1::AgentMessage stopped;
  *stopped.mutable_stopped()->mutable_key() = agent->Await(Kind::kStop).stop().key();
  *stopped.mutable_stopped()->mutable_snapshot() = EncodeSnapshot(snapshot);
  agent->Say(std::move(stopped));
  v1::RecordChunk chunk;  // and no more
  *chunk.mutable_key() = agent->Await(Kind::kPullRecords).pull_records().key();
  chunk.set_agent_id("a");
  chunk.set_data("one\ntwo\n");
  const auto kept = s.Ask<uint64_t>([&](auto answer) { s.coordinator().OnRecords(chunk, std::move(answer)); });
  EXPECT_EQ(*kept, 8u);
  s.Advance(60 * kNanosPerSecond);
  s.Await(job.id(), v1::COMPLETED);
  const auto result = Result(s, job.id());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->result().levels(0).records_written(), 2u);
  EXPECT_EQ(result->result().levels(0).records_lost(), 2u);
}

// ---- agents ----

TEST(CoordinatorAgents, AnInvalidReportLosesTheAgentByItsName) {
  constexpr char kAgent[] = "agent-with-a-rather-long-name-0001";
  CoordinatorScenario s;
  const auto agent = s.Join(kAgent, {Kind::kMeasure});
  const v1::Job job = *s.Create("2");
  const v1::CoordinatorMessage prepare = agent->Await(Kind::kPrepare);
  ASSERT_TRUE(prepare.has_prepare());
  v1::AgentMessage message;
  *message.mutable_report()->mutable_key() = prepare.prepare().key();
  *message.mutable_report()->mutable_epoch() = prepare.prepare().epoch();
  message.mutable_report()->mutable_delta()->set_sequence(1);
  message.mutable_report()->mutable_delta()->add_histograms()->mutable_histogram()->set_count(7);  // of no bucket
  agent->Say(std::move(message));
  EXPECT_THAT(agent->AwaitClose(), HasSubstr("its report is not valid"));
  const v1::Job now = s.Describe(job.id());
  bool said = false;
  for (const v1::Note& note : now.notes()) {
    said |= note.text().find(std::string("agent ") + kAgent + " is lost: its report is not valid") == 0;
  }
  EXPECT_TRUE(said) << now.DebugString();
}

TEST(CoordinatorAgents, ARefusedAgentsStreamIsClosed) {
  CoordinatorScenario s;
  const auto agent = s.Join("a", {}, /*protocol=*/99);
  EXPECT_TRUE(agent->Await(Kind::kRefused).refused().permanent());
  EXPECT_EQ(agent->AwaitClose(), "refused");
}

TEST(CoordinatorAgents, AStreamWithoutHelloIsClosedAfterTenSeconds) {
  CoordinatorScenario s;
  const auto silent = s.Open();
  s.Join("a")->Await(Kind::kWelcome);  // so the silent one is known
  s.Advance(10 * kNanosPerSecond);
  EXPECT_EQ(silent->AwaitClose(), "no Hello in time");
}

TEST(CoordinatorAgents, AreListedByIdWithTheirCapacity) {
  CoordinatorScenario s;
  s.Join("b");
  s.Join("a")->Await(Kind::kWelcome);
  const auto agents =
      s.Ask<v1::ListAgentsResponse>([&](auto answer) { s.coordinator().ListAgents(std::move(answer)); });
  ASSERT_TRUE(agents.ok());
  ASSERT_EQ(agents->agents_size(), 2);
  EXPECT_EQ(agents->agents(0).id(), "a");
  EXPECT_EQ(agents->agents(0).state(), v1::IDLE);
  EXPECT_EQ(agents->capacity(), 200u);
}

// ---- jobs ----

TEST(CoordinatorJobs, AJobRunsItsLevelsAndLeavesItsFiles) {
  CoordinatorScenario s;
  s.Join("a");
  s.Join("b");
  const v1::Job job = *s.Create("2, 4");
  EXPECT_EQ(s.Await(job.id(), v1::COMPLETED).levels_done(), 2u);
  const auto result = Result(s, job.id());
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->result().levels_size(), 2);
  EXPECT_EQ(result->result().levels(1).measured().ok(), 4u);
  EXPECT_TRUE(std::filesystem::exists(s.folder() + "/" + job.id() + "/result.json"));
}

TEST(CoordinatorJobs, WaitTheirTurn) {
  CoordinatorScenario s;
  const v1::Job first = *s.Create("2");
  const v1::Job second = *s.Create("2");
  const v1::Job third = *s.Create("2");
  EXPECT_EQ(first.state(), v1::RUNNING);
  EXPECT_EQ(second.state(), v1::QUEUED);
  EXPECT_EQ(second.queue_position(), 1u);
  EXPECT_EQ(third.queue_position(), 2u);
  s.Join("a");
  EXPECT_EQ(s.Await(third.id(), v1::COMPLETED).state(), v1::COMPLETED);
  EXPECT_EQ(s.Describe(first.id()).state(), v1::COMPLETED);
}

TEST(CoordinatorJobs, TheSameRequestGivesTheSameJob) {
  CoordinatorScenario s;
  const v1::Job job = *s.Create("2", "mine");
  EXPECT_EQ(s.Create("2", "mine")->id(), job.id());
}

TEST(CoordinatorJobs, AnotherJobUnderTheSameRequestIsRefused) {
  CoordinatorScenario s;
  ASSERT_TRUE(s.Create("2", "mine").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(s.Create("4", "mine").status()));
}

TEST(CoordinatorJobs, MoreThanAreKeptAreRefused) {
  CoordinatorOptions options;
  options.max_jobs = 1;
  CoordinatorScenario s(nullptr, options);
  ASSERT_TRUE(s.Create("2").ok());
  const absl::Status refused = s.Create("2").status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--max-jobs"));
}

TEST(CoordinatorJobs, ASecretInAHeaderIsRefusedAndNotRepeated) {
  CoordinatorScenario s;
  const absl::Status refused =
      s.CreateYaml("endpoint: {url: http://h.example, headers: {Authorization: Bearer hunter2}}\n", "r").status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("api_key_env"));
  EXPECT_THAT(std::string(refused.message()), testing::Not(HasSubstr("hunter2")));
}

TEST(CoordinatorJobs, AJobWithoutUrlIsRefused) {
  CoordinatorScenario s;
  EXPECT_THAT(std::string(s.CreateYaml("parameters: {concurrency: [1]}\n", "r").status().message()),
              HasSubstr("endpoint.url is missing"));
}

TEST(CoordinatorJobs, AQueuedJobThatIsStoppedHasAResultOfNoLevel) {
  CoordinatorScenario s;
  ASSERT_TRUE(s.Create("2").ok());
  const v1::Job second = *s.Create("2");
  const absl::StatusOr<v1::Job> stopped = Stop(s, second.id());
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped->state(), v1::STOPPED);
  const auto result = Result(s, second.id());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->result().levels_size(), 0);
}

TEST(CoordinatorJobs, AStopKeepsTheFinishedLevels) {
  CoordinatorScenario s;
  const auto agent = s.Join("a", {Kind::kProbe});
  const v1::Job job = *s.Create("2, 4");
  agent->Await(Kind::kProbe);
  ASSERT_TRUE(Stop(s, job.id()).ok());
  EXPECT_EQ(s.Await(job.id(), v1::STOPPED).failure_reason(), "stopped by the user");
}

TEST(CoordinatorJobs, ARunningJobIsNotDeleted) {
  CoordinatorScenario s;
  const v1::Job job = *s.Create("2");
  EXPECT_TRUE(absl::IsFailedPrecondition(Delete(s, job.id())));
}

TEST(CoordinatorJobs, ADeletedJobIsGoneWithItsResult) {
  MemoryDisk disk;
  CoordinatorScenario s(&disk);
  s.Join("a");
  const v1::Job job = *s.Create("2");
  s.Await(job.id(), v1::COMPLETED);
  EXPECT_TRUE(Delete(s, job.id()).ok());
  EXPECT_TRUE(absl::IsNotFound(Result(s, job.id()).status()));
  MutexLock lock(disk.mutex);
  EXPECT_TRUE(disk.jobs.empty());
}

TEST(CoordinatorJobs, WithoutAgentsAJobFailsAfterTheWaitAndSaysHowMany) {
  CoordinatorScenario s;
  const v1::Job job = *s.Create("2");
  s.Advance(61 * kNanosPerSecond);
  EXPECT_THAT(s.Await(job.id(), v1::FAILED).failure_reason(), HasSubstr("no agent came within 60 s"));
}

// ---- watchers ----

struct Watched {
  Mutex mutex;
  std::vector<v1::JobUpdate> updates TIDEMARK_GUARDED_BY(mutex);
};

absl::Status WatchToItsEnd(CoordinatorScenario& s, const std::string& job_id, uint32_t known, Watched* watched) {
  v1::WatchJobRequest request;
  request.set_job_id(job_id);
  request.set_levels_known(known);
  return s
      .Ask<int>([&](auto answer) {
        s.coordinator().Watch(
            request,
            [watched](const v1::JobUpdate& update) {
              MutexLock lock(watched->mutex);
              watched->updates.push_back(update);
            },
            [answer](const absl::Status& status) { status.ok() ? answer(0) : answer(status); });
      })
      .status();
}

TEST(CoordinatorWatch, OfNoSuchJobEndsWithNotFound) {
  CoordinatorScenario s;
  Watched watched;
  EXPECT_TRUE(absl::IsNotFound(WatchToItsEnd(s, "none", 0, &watched)));
}

TEST(CoordinatorWatch, OfAJobThatHasEndedGivesTheUnknownLevelsAndThenTheJob) {
  CoordinatorScenario s;
  s.Join("a");
  const v1::Job job = *s.Create("2, 4, 8");
  s.Await(job.id(), v1::COMPLETED);
  Watched watched;
  ASSERT_TRUE(WatchToItsEnd(s, job.id(), 1, &watched).ok());
  MutexLock lock(watched.mutex);
  ASSERT_EQ(watched.updates.size(), 3u);
  EXPECT_EQ(watched.updates[0].level().concurrency(), 4u);
  EXPECT_EQ(watched.updates[1].level().concurrency(), 8u);
  EXPECT_EQ(watched.updates[2].job().state(), v1::COMPLETED);
}

TEST(CoordinatorWatch, ThatComesDuringTheShutdownEndsWithUnavailable) {
  CoordinatorScenario s;
  const v1::Job job = *s.Create("2");
  s.coordinator().Shutdown();
  Watched watched;
  EXPECT_TRUE(absl::IsUnavailable(WatchToItsEnd(s, job.id(), 0, &watched)));
}

// ---- a restart ----

std::string AfterAKilledCoordinator(MemoryDisk* disk) {
  CoordinatorScenario s(disk);
  const auto agent = s.Join("a", {Kind::kStop});
  const v1::Job job = *s.Create("2, 4");
  EXPECT_TRUE(agent->Await(Kind::kStop).has_stop());
  return job.id();
}

TEST(CoordinatorRestart, GoesOnWithTheJobAfterTheQuietTime) {
  MemoryDisk disk;
  const std::string job = AfterAKilledCoordinator(&disk);
  CoordinatorScenario s(&disk);
  const auto agent = s.Join("a");
  agent->Await(Kind::kWelcome);
  s.Advance(5 * kNanosPerSecond);
  EXPECT_EQ(agent->Count(Kind::kPrepare), 0u);
  EXPECT_EQ(s.Await(job, v1::COMPLETED).state(), v1::COMPLETED);
  EXPECT_EQ(agent->Count(Kind::kProbe), 0u);
}

TEST(CoordinatorRestart, TheCutAttemptIsVoidAndItsNumberNeverComesBack) {
  MemoryDisk disk;
  const std::string job = AfterAKilledCoordinator(&disk);
  CoordinatorScenario s(&disk);
  s.Join("a");
  s.Await(job, v1::COMPLETED);
  const auto result = Result(s, job);
  ASSERT_TRUE(result.ok()) << result.status();
  const v1::LevelResult& level = result->result().levels(0);
  EXPECT_EQ(level.attempt(), 2u);
  ASSERT_EQ(level.void_attempts_size(), 1);
  EXPECT_EQ(level.void_attempts(0).reason(), "the coordinator was started anew; what it had sent until then is not known");
}

TEST(CoordinatorRestart, FinishedLevelsStayAsTheyWere) {
  MemoryDisk disk;
  std::string job;
  v1::LevelResult kept;
  {
    CoordinatorScenario s(&disk);
    const auto agent = s.Join("a");
    job = s.Create("2, 4")->id();
    s.Await(job, v1::COMPLETED);
    kept = Result(s, job)->result().levels(0);
  }
  {
    MutexLock lock(disk.mutex);
    disk.results.clear();
    disk.jobs[job].mutable_job()->set_state(v1::RUNNING);
    disk.journals[job].pop_back();  // the second level's end: never written
  }
  CoordinatorScenario s(&disk);
  s.Join("a");
  EXPECT_EQ(s.Await(job, v1::COMPLETED).state(), v1::COMPLETED);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(Result(s, job)->result().levels(0), kept));
}

TEST(CoordinatorRestart, LevelsAndNotesAreCountedOnce) {
  MemoryDisk disk;
  const std::string job = AfterAKilledCoordinator(&disk);
  {
    MutexLock lock(disk.mutex);
    v1::Job& kept = *disk.jobs[job].mutable_job();
    v1::JournalEntry entry;
    entry.mutable_note()->set_text("said before the end");
    disk.journals[job].push_back(entry);
    *kept.add_notes() = entry.note();  // a stop that was asked for writes the job as it stands
    kept.set_levels_done(1);
  }
  CoordinatorScenario s(&disk);
  s.Join("a");
  const v1::Job ended = s.Await(job, v1::COMPLETED);
  EXPECT_EQ(ended.levels_done(), 2u);
  EXPECT_EQ(std::count_if(ended.notes().begin(), ended.notes().end(),
                          [](const v1::Note& note) { return note.text() == "said before the end"; }),
            1);
}

TEST(CoordinatorRestart, AShutdownLeavesTheAttemptToTheNextStart) {
  MemoryDisk disk;
  CoordinatorScenario s(&disk);
  const auto agent = s.Join("a", {Kind::kStop});
  const std::string job = s.Create("2")->id();
  agent->Await(Kind::kStop);
  s.coordinator().Shutdown();
  EXPECT_EQ(agent->Await(Kind::kCancel).cancel().reason(), "the coordinator shuts down");
  s.Advance(4 * kNanosPerSecond);  // it has stopped, and would be asked again
  EXPECT_EQ(agent->Count(Kind::kPrepare), 1u);
  MutexLock lock(disk.mutex);
  EXPECT_EQ(disk.jobs[job].job().state(), v1::RUNNING);
  EXPECT_TRUE(disk.journals[job].back().has_attempt_begun());
}

TEST(CoordinatorRestart, AJobThatWasToStopStops) {
  MemoryDisk disk;
  const std::string job = AfterAKilledCoordinator(&disk);
  {
    MutexLock lock(disk.mutex);
    disk.jobs[job].mutable_job()->set_state(v1::STOPPING);
  }
  CoordinatorScenario s(&disk);
  EXPECT_EQ(s.Await(job, v1::STOPPED).state(), v1::STOPPED);
}

TEST(CoordinatorStore, ThatIsFullEndsTheJobWithTheReason) {
  MemoryDisk disk;
  CoordinatorScenario s(&disk);
  const auto agent = s.Join("a", {Kind::kMeasure});
  const v1::Job job = *s.Create("2");
  agent->Await(Kind::kMeasure);
  {
    MutexLock lock(disk.mutex);
    disk.append = absl::ResourceExhaustedError("the disk is full: /data/tidemark.db");
  }
  s.Join("b");
  agent->Say([&] {
    v1::AgentMessage message;
    *message.mutable_stopped()->mutable_key() = agent->Await(Kind::kPrepare).prepare().key();
    message.mutable_stopped()->set_error("the engine broke");  // the void attempt is to be journaled
    return message;
  }());
  EXPECT_THAT(s.Await(job.id(), v1::FAILED).failure_reason(), HasSubstr("the disk is full: /data/tidemark.db"));
}

}  // namespace
}  // namespace tidemark
