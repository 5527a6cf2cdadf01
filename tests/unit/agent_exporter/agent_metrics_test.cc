#include "agent/exporter/agent_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/exposition.h"
#include "tests/support/fake_clock.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using testing::Exposition;
using ::testing::Not;

const LevelKey kKey{"job", 3, 2};

MeasuredFacts FactsOf(uint64_t ok, uint64_t in_flight) {
  MeasuredFacts facts;
  facts.measured = {ok + 3, ok, 2, 1, 0};
  facts.unmeasured = {ok + 1, ok, 0, 1, 0};
  facts.in_flight_now = in_flight;
  return facts;
}

// A real session machine, whose turns the metrics look at, on a clock of our own.
class AgentMetricsTest : public ::testing::Test {
 protected:
  AgentMetricsTest() : machine_(v1::Hello()), metrics_(Options(), &clock_) {}

  static AgentMetricsOptions Options() {
    AgentMetricsOptions options;
    options.version = "1.2.3";
    options.agent_id = "agent-0";
    options.capacity = 500;
    options.spool_limit_bytes = 1'000'000;
    return options;
  }

  void Say(const AgentEvent& event) {
    const int64_t now = clock_.MonotonicNanos();
    const std::vector<AgentEffect> effects = machine_.Handle(event, now);
    metrics_.OnStep({event, effects, machine_, now});
  }

  void Connect() {
    Say(AgentBegin{});
    Say(StreamOpened{});
    Welcome();
  }
  void Welcome() {
    v1::CoordinatorMessage message;
    message.mutable_welcome()->mutable_epoch()->set_store_uuid("s");
    message.mutable_welcome()->mutable_epoch()->set_counter(1);
    message.mutable_welcome()->set_lease_ms(5'000);
    message.mutable_welcome()->set_heartbeat_ms(1'000);
    Say(CoordinatorSaid{message});
  }
  void Prepare() {
    LevelTask task;
    task.key = kKey;
    task.endpoint.urls = {"http://h/"};
    task.plan.concurrency = 4;
    task.plan.request_count = 10;
    task.share = {2, 0, 5, 0};
    v1::CoordinatorMessage message;
    *message.mutable_prepare() = EncodeTask(task);
    Say(CoordinatorSaid{message});
  }
  void Arm(const LevelKey& key = kKey) {
    v1::CoordinatorMessage message;
    *message.mutable_arm()->mutable_key() = EncodeKey(key);
    Say(CoordinatorSaid{message});
  }
  void RunLevel() {
    Connect();
    Prepare();
    Say(EngineReady{kKey, absl::OkStatus(), {}});
    Arm();
  }
  Exposition Page() const { return testing::ParseExposition(metrics_.Text()); }
  double Value(const std::string& name, const testing::LabelSet& labels = {}) const { return Page().Sum(name, labels); }

  FakeClock clock_;
  AgentMachine machine_;
  AgentMetrics metrics_;
};

TEST_F(AgentMetricsTest, SaysWhoItIs) {
  EXPECT_EQ(Value("tidemark_agent_build_info", {{"agent_id", "agent-0"}, {"version", "1.2.3"}}), 1);
  EXPECT_EQ(Value("tidemark_agent_capacity_requests"), 500);
  EXPECT_EQ(Value("tidemark_agent_spool_limit_bytes"), 1'000'000);
}

TEST_F(AgentMetricsTest, IsReadyWhileWelcomed) {
  EXPECT_EQ(metrics_.WhyNotReady(), "no coordinator has welcomed this agent");
  Connect();
  EXPECT_EQ(metrics_.WhyNotReady(), "");
  EXPECT_EQ(Value("tidemark_agent_connected"), 1);
  Say(StreamLost{"cut"});
  EXPECT_NE(metrics_.WhyNotReady(), "");
  EXPECT_EQ(Value("tidemark_agent_connected"), 0);
}

TEST_F(AgentMetricsTest, CountsTheLeaseDownAtTheScrape) {
  EXPECT_EQ(Value("tidemark_agent_lease_remaining_seconds"), 0);
  Connect();
  EXPECT_DOUBLE_EQ(Value("tidemark_agent_lease_remaining_seconds"), 5);
  clock_.AdvanceMillis(1'500);
  EXPECT_DOUBLE_EQ(Value("tidemark_agent_lease_remaining_seconds"), 3.5);
  clock_.AdvanceMillis(60'000);
  EXPECT_EQ(Value("tidemark_agent_lease_remaining_seconds"), 0);
}

TEST_F(AgentMetricsTest, CountsStreamsAfterTheFirst) {
  Connect();
  EXPECT_EQ(Value("tidemark_agent_reconnects_total"), 0);
  Say(StreamLost{"cut"});
  clock_.AdvanceMillis(1'000);
  Say(AgentTimer{});
  EXPECT_EQ(Value("tidemark_agent_reconnects_total"), 1);
}

TEST_F(AgentMetricsTest, CountsStaleMessages) {
  RunLevel();
  Arm({"job", 1, 1});
  EXPECT_EQ(Value("tidemark_agent_stale_messages_total"), 1);
}

TEST_F(AgentMetricsTest, ShowsTheLevelWhileItRuns) {
  RunLevel();
  EXPECT_EQ(Value("tidemark_agent_level_info", {{"job_id", "job"}, {"level", "3"}, {"attempt", "2"}}), 1);
  EXPECT_EQ(Value("tidemark_agent_slots"), 2);
  Say(EngineFacts{kKey, FactsOf(10, 2)});
  EXPECT_EQ(Value("tidemark_agent_in_flight_requests"), 2);
  Say(EngineStopped{kKey, {}});
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("job_id=")));
  EXPECT_EQ(Value("tidemark_agent_slots"), 0);
  EXPECT_EQ(Value("tidemark_agent_in_flight_requests"), 0);
}

TEST_F(AgentMetricsTest, AddsUpRequestsOverReports) {
  RunLevel();
  Say(EngineFacts{kKey, FactsOf(10, 2)});
  Say(EngineFacts{kKey, FactsOf(20, 2)});
  EXPECT_EQ(Value("tidemark_agent_requests_sent_total", {{"phase", "measure"}}), 36);
  EXPECT_EQ(Value("tidemark_agent_requests_sent_total", {{"phase", "unmeasured"}}), 32);
  EXPECT_EQ(Value("tidemark_agent_requests_total", {{"phase", "measure"}, {"outcome", "ok"}}), 30);
  EXPECT_EQ(Value("tidemark_agent_requests_total", {{"phase", "measure"}, {"outcome", "failed"}}), 4);
  EXPECT_EQ(Value("tidemark_agent_requests_total", {{"phase", "unmeasured"}, {"outcome", "cancelled"}}), 2);
}

TEST_F(AgentMetricsTest, ShowsTheLongestSilenceOfALoopUntilTheLevelEnds) {
  RunLevel();
  Say(AgentTimer{{3, 2'500, 7}});
  EXPECT_DOUBLE_EQ(Value("tidemark_agent_loop_silence_seconds"), 2.5);
  Say(EngineStopped{kKey, {}});
  EXPECT_EQ(Value("tidemark_agent_loop_silence_seconds"), 0);
}

TEST_F(AgentMetricsTest, KeepsTheSelfCheckOfTheLastFinishedLevel) {
  RunLevel();
  FinalSnapshot snapshot;
  snapshot.self_check.wall_ns = 2 * kNanosPerSecond;
  snapshot.self_check.loop_cpu_ns = kNanosPerSecond;
  snapshot.self_check.loop_lag_us.Record(1'500, 100);
  snapshot.records_lost = 4;
  Say(EngineStopped{kKey, snapshot});
  EXPECT_DOUBLE_EQ(Value("tidemark_agent_loop_lag_p99_seconds"), 0.0015);
  EXPECT_DOUBLE_EQ(Value("tidemark_agent_loop_cpu_ratio"), 0.5);
  EXPECT_EQ(Value("tidemark_agent_records_lost_total"), 4);
  Say(EngineStopped{kKey, {}});
  EXPECT_DOUBLE_EQ(Value("tidemark_agent_loop_cpu_ratio"), 0.5) << "one that never measured changes nothing";
}

TEST_F(AgentMetricsTest, ReadsTheProcessAtTheScrape) {
  EXPECT_GT(Value("process_open_fds"), 2);
  EXPECT_GE(Value("process_max_fds"), Value("process_open_fds"));
  EXPECT_GT(Value("process_cpu_seconds_total"), 0);
  EXPECT_GT(Value("process_resident_memory_bytes"), 0);
  EXPECT_EQ(Page().Count("tidemark_agent_cgroup_throttled_seconds_total"), 1u);
}

}  // namespace
}  // namespace tidemark
