#include <fstream>

#include "agent/engine/engine.h"
#include "common/mutex.h"
#include "tests/integration/agent_engine/stream_reply.h"

namespace tidemark {
namespace {

constexpr int64_t kBound = 20 * kNanosPerSecond;

// Keeps what the engine told, in order.
class Told {
 public:
  EngineEvents Events() {
    EngineEvents events;
    events.ready = [this](absl::Status status, std::vector<std::string> addresses) {
      {
        MutexLock lock(mutex_);
        ready_status_ = status;
        addresses_ = std::move(addresses);
      }
      Note("ready ");
    };
    events.started = [this](int64_t) { Note("started "); };
    events.warm = [this](bool, uint64_t) { Note("warm "); };
    events.share_done = [this] { Note("done "); };
    events.facts = [this](MeasuredFacts facts) {
      MutexLock lock(mutex_);
      facts_.Merge(facts);
    };
    events.stopped = [this](FinalSnapshot snapshot) {
      {
        MutexLock lock(mutex_);
        snapshot_ = std::move(snapshot);
      }
      Note("stopped ");
    };
    return events;
  }
  bool Wait(const std::string& what) {
    const int64_t end = RealClock().MonotonicNanos() + kBound;
    MutexLock lock(mutex_);
    while (order_.find(what) == std::string::npos) {
      const int64_t left = end - RealClock().MonotonicNanos();
      if (left <= 0) return false;
      changed_.WaitFor(mutex_, left);
    }
    return true;
  }
  std::string order() {
    MutexLock lock(mutex_);
    return order_;
  }
  absl::Status ready_status() {
    MutexLock lock(mutex_);
    return ready_status_;
  }
  std::vector<std::string> addresses() {
    MutexLock lock(mutex_);
    return addresses_;
  }
  MeasuredFacts facts() {
    MutexLock lock(mutex_);
    return facts_;
  }
  FinalSnapshot snapshot() {
    MutexLock lock(mutex_);
    return snapshot_;
  }

 private:
  void Note(const std::string& what) {
    MutexLock lock(mutex_);
    order_ += what;
    changed_.NotifyAll();
  }
  Mutex mutex_;
  CondVar changed_;
  std::string order_ TIDEMARK_GUARDED_BY(mutex_);
  absl::Status ready_status_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<std::string> addresses_ TIDEMARK_GUARDED_BY(mutex_);
  MeasuredFacts facts_ TIDEMARK_GUARDED_BY(mutex_);
  FinalSnapshot snapshot_ TIDEMARK_GUARDED_BY(mutex_);
};

class CurlEngineTest : public ::testing::Test {
 protected:
  CurlEngineTest() : server_([](int, int, const std::string&) { return StreamReply(10); }) {
    options_.spool_dir = testing::TempDir();
    task_.key = {"engine/test", 0, 1};
    task_.endpoint.urls = {server_.url()};
    task_.workload.output.mean = 3;
    task_.plan.ramp_ns = 20 * kNanosPerMilli;
    task_.plan.warmup_deadline_ns = 5 * kNanosPerSecond;
  }
  void Prepare(uint32_t slots, uint64_t requests, uint32_t loops) {
    options_.loops = loops;
    task_.share.slots = task_.plan.concurrency = slots;
    task_.share.requests = task_.plan.request_count = requests;
    engine_ = NewCurlEngine(options_, &RealClock());
    engine_->Prepare(task_, told_.Events());
    ASSERT_TRUE(told_.Wait("ready"));
  }
  void Arm() { engine_->Arm(RealClock().MonotonicNanos(), RealClock().MonotonicNanos()); }
  void RunLevel(uint32_t slots, uint64_t requests, uint32_t loops) {
    Prepare(slots, requests, loops);
    Arm();
    ASSERT_TRUE(told_.Wait("warm"));
    engine_->Measure(RealClock().MonotonicNanos());
    ASSERT_TRUE(told_.Wait("done"));
    engine_->Stop(kNanosPerSecond);
    ASSERT_TRUE(told_.Wait("stopped"));
  }

  ScriptedServer server_;
  EngineOptions options_;
  LevelTask task_;
  Told told_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(CurlEngineTest, RunsALevelThroughItsPhasesWithExactCounts) {
  RunLevel(4, 20, 1);
  EXPECT_EQ(told_.order(), "ready started warm done stopped ");
  const FinalSnapshot snapshot = told_.snapshot();
  EXPECT_EQ(snapshot.measured.sent, 20u);
  EXPECT_EQ(snapshot.measured.ok, 20u);
  EXPECT_TRUE(snapshot.measured.Conserved());
  EXPECT_TRUE(snapshot.unmeasured.Conserved());
  EXPECT_EQ(told_.facts().measured, snapshot.measured);
  EXPECT_EQ(told_.facts().unmeasured, snapshot.unmeasured);
  EXPECT_FALSE(snapshot.stopped_early);
}

TEST_F(CurlEngineTest, SeveralLoopsMakeOneLevelWithAWindowEach) {
  RunLevel(6, 30, 3);
  const FinalSnapshot snapshot = told_.snapshot();
  EXPECT_EQ(told_.order(), "ready started warm done stopped ");
  EXPECT_EQ(snapshot.measured.ok, 30u);
  ASSERT_EQ(snapshot.windows.size(), 3u);
  for (const WindowFacts& window : snapshot.windows) {
    EXPECT_EQ(window.slots, 2u);
    EXPECT_EQ(window.measured_requests, 10u);
    EXPECT_TRUE(window.has_window);
  }
}

TEST_F(CurlEngineTest, KeepsAsManyConnectionsAsSlots) {
  RunLevel(4, 40, 1);
  EXPECT_EQ(told_.snapshot().self_check.sockets_opened, 4u + told_.facts().done_but_open);
  EXPECT_EQ(told_.addresses(), std::vector<std::string>{server_.address()});
}

TEST_F(CurlEngineTest, WritesARecordForEachMeasuredRequest) {
  RunLevel(4, 20, 2);
  EXPECT_EQ(told_.snapshot().records_written, 20u);
  std::ifstream in(engine_->SpoolPath());
  int lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  EXPECT_EQ(lines, 20);
}

TEST_F(CurlEngineTest, TheRecordsOfALevelGoWithIt) {
  RunLevel(2, 4, 1);
  const std::string path = engine_->SpoolPath();
  ASSERT_TRUE(std::ifstream(path).is_open());
  engine_.reset();
  EXPECT_FALSE(std::ifstream(path).is_open());
}

TEST_F(CurlEngineTest, ReportsItsOwnFigures) {
  RunLevel(4, 40, 1);
  const SelfCheckFacts check = told_.snapshot().self_check;
  EXPECT_GT(check.wall_ns, 0u);
  EXPECT_GT(check.loop_cpu_ns, 0u);
  EXPECT_FALSE(check.loop_lag_us.empty());
  EXPECT_GE(check.slot_turnaround_us.count(), 30u);
  EXPECT_GT(check.descriptors_limit, 0u);
  EXPECT_GT(check.descriptors_used_max, 4u);
}

TEST_F(CurlEngineTest, EveryReadHasItsDelay) {
  RunLevel(4, 40, 2);
  const SelfCheckFacts check = told_.snapshot().self_check;
  EXPECT_GE(check.reads, 40u);
  // What comes so soon that libcurl reads it in the call that sends the request cannot be peeked at.
  if (TIDEMARK_STAMPS_EVERY_READ) {
    EXPECT_EQ(check.reader_delay_us.count(), check.reads);
  }
  EXPECT_GE(check.reader_delay_us.count(), check.reads / 2);
  EXPECT_GE(check.connections_open_max, 4u);
  EXPECT_EQ(check.queued_inside, 0u);
}

TEST_F(CurlEngineTest, ALevelMayAskForTheLoopsOwnTimestamps) {
  task_.plan.user_timestamps = true;
  RunLevel(4, 40, 1);
  EXPECT_EQ(told_.snapshot().measured.ok, 40u);
  EXPECT_GE(told_.snapshot().self_check.reads, 40u);
  EXPECT_TRUE(told_.snapshot().self_check.reader_delay_us.empty());
}

TEST_F(CurlEngineTest, LoopsAreHeardOfOnlyWhileTheyRun) {
  Prepare(4, 20, 2);
  Arm();
  ASSERT_TRUE(told_.Wait("warm"));
  EXPECT_EQ(engine_->LoopSilenceMillis().size(), 2u);
  engine_->Cancel();
  ASSERT_TRUE(told_.Wait("stopped"));
  EXPECT_EQ(engine_->LoopSilenceMillis().size(), 0u);
  EXPECT_TRUE(told_.snapshot().stopped_early);
}

TEST_F(CurlEngineTest, ALevelMayFollowALevel) {
  RunLevel(4, 20, 1);
  task_.key.level = 1;
  Told second;
  engine_->Prepare(task_, second.Events());
  ASSERT_TRUE(second.Wait("ready"));
  Arm();
  ASSERT_TRUE(second.Wait("warm"));
  engine_->Cancel();
  EXPECT_TRUE(second.Wait("stopped"));
}

TEST_F(CurlEngineTest, AShareWithoutSlotsPassesEveryBarrierAtOnce) {
  Prepare(0, 0, 0);
  Arm();
  engine_->Measure(0);
  engine_->Stop(0);
  EXPECT_TRUE(told_.Wait("stopped"));
  EXPECT_EQ(told_.order(), "ready started warm done stopped ");
  EXPECT_TRUE(told_.snapshot().windows.empty());
}

TEST_F(CurlEngineTest, ANameWithoutAddressIsNotReady) {
  task_.endpoint.urls = {"http://no-such-host.invalid/"};
  Prepare(1, 1, 1);
  EXPECT_EQ(told_.ready_status().code(), absl::StatusCode::kNotFound);
  engine_->Stop(0);
  EXPECT_TRUE(told_.Wait("stopped"));
}

TEST_F(CurlEngineTest, ATargetThatIsNotAllowedIsNotReadyAndSaysWhy) {
  options_.access.address = [](const std::string&, const std::string& ip, uint16_t) {
    return absl::FailedPreconditionError(ip + " is refused");
  };
  Prepare(2, 2, 1);
  EXPECT_EQ(told_.ready_status().message(), "127.0.0.1 is refused");
  EXPECT_EQ(server_.connections(), 0);
}

TEST_F(CurlEngineTest, CancelRightAfterPrepareIsAnsweredInOrder) {
  task_.share.slots = 2;
  task_.share.requests = 2;
  engine_ = NewCurlEngine(options_, &RealClock());
  engine_->Prepare(task_, told_.Events());
  engine_->Cancel();
  ASSERT_TRUE(told_.Wait("stopped"));
  EXPECT_EQ(told_.order(), "ready stopped ");
}

TEST_F(CurlEngineTest, SendsNothingPastItsDeadline) {
  Prepare(2, 10, 1);
  engine_->SetSendDeadline(RealClock().MonotonicNanos());
  Arm();
  ASSERT_TRUE(told_.Wait("started"));
  SleepFor(50 * kNanosPerMilli);
  EXPECT_EQ(server_.requests(), 0);
  engine_->SetSendDeadline(INT64_MAX);
  EXPECT_TRUE(told_.Wait("warm"));
}

TEST_F(CurlEngineTest, MayBeDestroyedInAnyPhase) {
  for (int phase = 0; phase < 4; ++phase) {
    Told told;
    auto engine = NewCurlEngine(options_, &RealClock());
    task_.share.slots = task_.share.requests = 4;
    engine->Prepare(task_, told.Events());
    if (phase > 0) {
      ASSERT_TRUE(told.Wait("ready"));
    }
    if (phase > 1) engine->Arm(RealClock().MonotonicNanos(), 0);
    if (phase > 2) {
      ASSERT_TRUE(told.Wait("warm"));
      engine->Measure(RealClock().MonotonicNanos());
    }
    engine.reset();
    EXPECT_EQ(told.order().find("stopped"), std::string::npos);
  }
}

}  // namespace
}  // namespace tidemark
