#include "agent/engine/loop_worker.h"

#include <numeric>
#include <set>

#include "agent/engine/target_setup.h"
#include "tests/support/memory_transport.h"
#include "tests/support/virtual_loop.h"

namespace tidemark {
namespace {

constexpr int64_t kMilli = kNanosPerMilli;

class Told final : public WorkerEvents {
 public:
  void OnStarted(int64_t) override { ++started; }
  void OnWarm(bool deadline_passed, uint64_t sum, uint64_t count) override {
    ++warm;
    warm_late = deadline_passed;
    mean_latency_us = count == 0 ? 0 : sum / count;
  }
  void OnMeasuring() override { ++measuring; }
  void OnShareDone() override { ++done; }
  void OnFacts(MeasuredFacts more) override { facts.Merge(more); }
  void OnStopped() override { ++stopped; }

  int started = 0, warm = 0, measuring = 0, done = 0, stopped = 0;
  bool warm_late = false;
  uint64_t mean_latency_us = 0;
  MeasuredFacts facts;
};

class Records final : public RecordSink {
 public:
  void Write(const RequestRecord& record) override { indices.push_back(record.index); }
  std::vector<uint64_t> indices;
};

// A level on one loop in virtual time. By default requests take 100 ms: ten tokens, the first at 10
// ms.
class LoopWorkerTest : public ::testing::Test {
 protected:
  LoopWorkerTest() {
    task_.workload.input.mean = 10;
    task_.workload.output.mean = 10;
    task_.plan.warmup_deadline_ns = 5'000 * kMilli;
    task_.plan.ramp_ns = 100 * kMilli;
    reply_ = [](const SentRequest&) {
      return MemoryTransport::Stream(10, 10 * kMilli, 10 * kMilli);
    };
  }

  void Build(uint32_t slots, uint64_t requests) {
    task_.share.slots = task_.plan.concurrency = slots;
    task_.share.requests = task_.plan.request_count = requests;
    adapter_ = *SetUpAdapter(task_.endpoint, task_.workload);
    transport_ = std::make_unique<MemoryTransport>(
        &loop_, slots, [this](const SentRequest& r) { return reply_(r); });
    WorkerOptions options;
    options.task = task_;
    options.total_slots = slots;
    options.addresses = addresses_;
    options.send_deadline = &lease_;
    options.records = &records_;
    worker_ =
        std::make_unique<LoopWorker>(options, &loop_, transport_.get(), adapter_.get(), &told_);
  }
  void Arm() { worker_->Arm(loop_.Now(), loop_.Now()); }
  bool RunUntilWarm() {
    return loop_.RunUntilDone([this] { return told_.warm > 0; }, 20 * kNanosPerSecond);
  }
  bool RunUntilDone() {
    return loop_.RunUntilDone([this] { return told_.done > 0; }, 60 * kNanosPerSecond);
  }
  // The whole level, as the session drives it.
  void RunLevel(uint32_t slots, uint64_t requests) {
    Build(slots, requests);
    Arm();
    ASSERT_TRUE(RunUntilWarm());
    worker_->Measure(loop_.Now());
    ASSERT_TRUE(RunUntilDone());
    worker_->Stop(0);
    ASSERT_TRUE(loop_.RunUntilDone([this] { return told_.stopped > 0; }, kNanosPerSecond));
    EXPECT_TRUE(worker_->recorder().measured().Conserved());
    EXPECT_TRUE(worker_->recorder().unmeasured().Conserved());
    EXPECT_EQ(worker_->recorder().measured(), told_.facts.measured);
    EXPECT_EQ(worker_->recorder().unmeasured(), told_.facts.unmeasured);
    EXPECT_EQ(transport_->in_flight(), 0u);
  }
  const OutcomeCounts& measured() const { return worker_->recorder().measured(); }
  const OutcomeCounts& unmeasured() const { return worker_->recorder().unmeasured(); }

  LevelTask task_;
  std::vector<std::vector<std::string>> addresses_ = {{"127.0.0.1:1"}};
  MemoryTransport::Reply reply_;
  VirtualLoop loop_;
  std::atomic<int64_t> lease_{INT64_MAX};
  Told told_;
  Records records_;
  std::unique_ptr<EndpointAdapter> adapter_;
  std::unique_ptr<MemoryTransport> transport_;
  std::unique_ptr<LoopWorker> worker_;
};

TEST_F(LoopWorkerTest, MeasuresExactlyItsShare) {
  RunLevel(8, 50);
  EXPECT_EQ(measured().sent, 50u);
  EXPECT_EQ(measured().ok, 50u);
  EXPECT_EQ(told_.started, 1);
  EXPECT_EQ(told_.warm, 1);
  EXPECT_EQ(told_.done, 1);
  EXPECT_EQ(told_.stopped, 1);
}

TEST_F(LoopWorkerTest, MeasuresExactlyItsShareAlsoBelowItsSlots) {
  RunLevel(8, 3);
  EXPECT_EQ(measured().sent, 3u);
  EXPECT_EQ(measured().ok, 3u);
}

TEST_F(LoopWorkerTest, MeasuresOneRequestOnOneSlot) {
  RunLevel(1, 1);
  EXPECT_EQ(measured().sent, 1u);
  EXPECT_EQ(measured().ok, 1u);
  EXPECT_TRUE(worker_->recorder().window().has_window);
  EXPECT_EQ(worker_->recorder().window().width_ns, 100u * kMilli);
}

TEST_F(LoopWorkerTest, MeasuredIndicesAreThoseOfTheShareOnceEach) {
  task_.share.first_request = 1'000;
  RunLevel(4, 25);
  std::sort(records_.indices.begin(), records_.indices.end());
  std::vector<uint64_t> expected(25);
  std::iota(expected.begin(), expected.end(), 1'000);
  EXPECT_EQ(records_.indices, expected);
}

TEST_F(LoopWorkerTest, NeverHasMoreThanItsSlotsInFlight) {
  RunLevel(8, 50);
  EXPECT_EQ(transport_->in_flight_max(), 8u);
}

TEST_F(LoopWorkerTest, KeepsItsSlotsBusyThroughTheWindow) {
  RunLevel(8, 80);
  const WindowFacts& window = worker_->recorder().window();
  ASSERT_TRUE(window.has_window);
  EXPECT_GE(window.in_flight_integral_ns, 0.98 * 8 * window.width_ns);
}

TEST_F(LoopWorkerTest, TheRateOfTheWindowIsThatOfTheClosedLoop) {
  RunLevel(8, 80);
  const WindowFacts& window = worker_->recorder().window();
  EXPECT_NEAR(1e9 * window.measured_requests / window.width_ns, 80, 1);  // 8 slots, 100 ms each
  EXPECT_NEAR(1e6 * window.output_millitokens / window.width_ns, 800, 10);
}

TEST_F(LoopWorkerTest, StartsSpreadEvenlyOverTheRampByGlobalSlot) {
  task_.share.first_slot = 0;
  Build(4, 4);
  const int64_t start = loop_.Now() + 50 * kMilli;
  worker_->Arm(start, start);
  loop_.RunUntil(start + 90 * kMilli);
  ASSERT_EQ(transport_->sent().size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(transport_->sent()[i].at, start + i * 25 * kMilli);
}

TEST_F(LoopWorkerTest, IsWarmOnceEachSlotHasEndedOneRequest) {
  Build(4, 4);
  Arm();
  loop_.RunForMillis(170);  // the last slot started at 75 ms
  EXPECT_EQ(told_.warm, 0);
  loop_.RunForMillis(10);
  EXPECT_EQ(told_.warm, 1);
  EXPECT_FALSE(told_.warm_late);
  EXPECT_EQ(told_.mean_latency_us, 100'000u);
}

TEST_F(LoopWorkerTest, IsWarmAtTheDeadlineEvenWhenASlotHangs) {
  reply_ = [](const SentRequest& r) {
    return r.slot == 0 ? std::vector<WireStep>()
                       : MemoryTransport::Stream(10, 10 * kMilli, 10 * kMilli);
  };
  Build(4, 4);
  Arm();
  ASSERT_TRUE(RunUntilWarm());
  EXPECT_TRUE(told_.warm_late);
}

TEST_F(LoopWorkerTest, MeasuresNothingBeforeTheStartItWasTold) {
  Build(2, 4);
  Arm();
  ASSERT_TRUE(RunUntilWarm());
  const int64_t start = loop_.Now() + 300 * kMilli;
  worker_->Measure(start);
  loop_.RunUntil(start - 1);
  EXPECT_EQ(measured().sent, 0u);
  EXPECT_TRUE(RunUntilDone());
  EXPECT_EQ(measured().sent, 4u);
}

TEST_F(LoopWorkerTest, HoldsTheLoadWithFillersUntilStop) {
  Build(4, 8);
  Arm();
  ASSERT_TRUE(RunUntilWarm());
  worker_->Measure(loop_.Now());
  ASSERT_TRUE(RunUntilDone());
  loop_.RunForMillis(500);
  EXPECT_EQ(transport_->in_flight(), 4u);
  EXPECT_EQ(measured().sent, 8u);
}

TEST_F(LoopWorkerTest, WithoutFillTheWindowEndsAtTheFirstSlotLeftIdle) {
  task_.plan.fill = false;
  RunLevel(4, 8);
  const WindowFacts& window = worker_->recorder().window();
  ASSERT_TRUE(window.has_window);
  EXPECT_EQ(window.width_ns, 200u * kMilli);  // two rounds of 100 ms from the first slot's start
  EXPECT_EQ(unmeasured().cancelled, 0u);
}

TEST_F(LoopWorkerTest, WithoutFillAndFewerRequestsThanSlotsThereIsNoWindow) {
  task_.plan.fill = false;
  RunLevel(4, 2);
  EXPECT_FALSE(worker_->recorder().window().has_window);
  EXPECT_EQ(measured().ok, 2u);
}

TEST_F(LoopWorkerTest, TheWindowCapEndsAShareThatIsNotComplete) {
  task_.plan.window_cap_ns = 450 * kMilli;
  RunLevel(2, 1'000'000);
  EXPECT_LE(measured().sent, 12u);
  EXPECT_GE(measured().sent, 8u);
  EXPECT_TRUE(worker_->recorder().window().has_window);
}

TEST_F(LoopWorkerTest, AShareOfNoRequestsIsDoneAtOnce) {
  Build(2, 0);
  Arm();
  ASSERT_TRUE(RunUntilWarm());
  worker_->Measure(loop_.Now());
  EXPECT_EQ(told_.done, 1);
}

TEST_F(LoopWorkerTest, StopCancelsFillersAndLetsMeasuredOnesEndWithinTheDrain) {
  Build(2, 2);
  Arm();
  ASSERT_TRUE(RunUntilWarm());
  worker_->Measure(loop_.Now());
  loop_.RunForMillis(150);  // one measured has started on each slot
  worker_->Stop(kNanosPerSecond);
  loop_.RunForMillis(200);
  EXPECT_EQ(told_.stopped, 1);
  EXPECT_EQ(measured().failed, 0u);
  EXPECT_TRUE(measured().Conserved());
  EXPECT_TRUE(unmeasured().Conserved());
}

TEST_F(LoopWorkerTest, MeasuredRequestsOpenAtTheDrainDeadlineFail) {
  bool hang = false;
  reply_ = [&hang](const SentRequest&) {
    return hang ? std::vector<WireStep>() : MemoryTransport::Stream(10, 10 * kMilli, 10 * kMilli);
  };
  Build(2, 4);
  Arm();
  ASSERT_TRUE(RunUntilWarm());
  hang = true;
  worker_->Measure(loop_.Now());
  loop_.RunForMillis(200);
  ASSERT_EQ(measured().sent, 2u);
  worker_->Stop(50 * kMilli);
  loop_.RunForMillis(49);
  EXPECT_EQ(told_.stopped, 0);
  loop_.RunForMillis(1);
  EXPECT_EQ(told_.stopped, 1);
  EXPECT_EQ(told_.facts.failures["timeout_drain"], 2u);
  EXPECT_FALSE(worker_->share_done());
}

TEST_F(LoopWorkerTest, CancelEndsMeasuredOnesAtOnce) {
  Build(4, 100);
  Arm();
  ASSERT_TRUE(RunUntilWarm());
  worker_->Measure(loop_.Now());
  loop_.RunForMillis(150);
  worker_->Cancel();
  EXPECT_EQ(told_.stopped, 1);
  EXPECT_EQ(measured().cancelled + unmeasured().cancelled, 4u);
  EXPECT_TRUE(measured().Conserved());
  worker_->Cancel();
  worker_->Stop(0);
  EXPECT_EQ(told_.stopped, 1);
}

TEST_F(LoopWorkerTest, CancelAfterStopEndsTheDrain) {
  reply_ = [](const SentRequest& r) {
    return r.number < 2 ? MemoryTransport::Stream(10, 10 * kMilli, 10 * kMilli)
                        : std::vector<WireStep>();
  };
  Build(2, 2);
  Arm();
  ASSERT_TRUE(RunUntilWarm());
  worker_->Measure(loop_.Now());
  loop_.RunForMillis(150);
  worker_->Stop(600 * kNanosPerSecond);
  worker_->Cancel();
  EXPECT_EQ(told_.stopped, 1);
}

TEST_F(LoopWorkerTest, StopBeforeArmStopsAtOnce) {
  Build(2, 2);
  worker_->Stop(0);
  EXPECT_EQ(told_.stopped, 1);
  EXPECT_EQ(transport_->sent().size(), 0u);
}

TEST_F(LoopWorkerTest, SendsNothingPastTheLeaseAndGoesOnWhenItIsExtended) {
  Build(4, 100);
  lease_ = loop_.Now() + 150 * kMilli;
  Arm();
  loop_.RunForMillis(1'000);
  const size_t sent = transport_->sent().size();
  for (const SentRequest& request : transport_->sent()) EXPECT_LT(request.at, lease_);
  EXPECT_EQ(transport_->in_flight(), 0u);
  lease_ = INT64_MAX;
  loop_.RunForMillis(100);
  EXPECT_EQ(transport_->sent().size(), sent + 4);
}

TEST_F(LoopWorkerTest, ARefusedConnectionBacksOffFromTenMillisecondsDoublingToASecond) {
  reply_ = [](const SentRequest&) {
    return std::vector<WireStep>{MemoryTransport::Failure(0, FailureClass::kConnect)};
  };
  Build(1, 1);
  Arm();
  loop_.RunForMillis(5'000);
  const std::vector<SentRequest>& sent = transport_->sent();
  ASSERT_GE(sent.size(), 9u);
  EXPECT_EQ(sent[1].at - sent[0].at, 10 * kMilli);
  EXPECT_EQ(sent[2].at - sent[1].at, 20 * kMilli);
  EXPECT_EQ(sent[8].at - sent[7].at, 1'000 * kMilli);
}

TEST_F(LoopWorkerTest, TheBackoffOfARefusingServerFillsTheWindow) {
  reply_ = [](const SentRequest&) {
    return std::vector<WireStep>{MemoryTransport::Failure(kMilli, FailureClass::kConnect)};
  };
  RunLevel(4, 40);
  const WindowFacts& window = worker_->recorder().window();
  ASSERT_TRUE(window.has_window);
  EXPECT_EQ(measured().failed, 40u);
  EXPECT_LT(window.in_flight_integral_ns, window.backoff_ns);
  EXPECT_EQ(window.in_flight_integral_ns + window.backoff_ns, 4 * window.width_ns);
}

TEST_F(LoopWorkerTest, AnsweringSlotsDoNotBackOff) {
  RunLevel(4, 40);
  EXPECT_EQ(worker_->recorder().window().backoff_ns, 0u);
}

TEST_F(LoopWorkerTest, AnAnswerEndsTheBackoff) {
  reply_ = [](const SentRequest& r) {
    if (r.number == 3) return MemoryTransport::Stream(1, kMilli, 0);
    return std::vector<WireStep>{MemoryTransport::Failure(0, FailureClass::kConnect)};
  };
  Build(1, 1);
  Arm();
  loop_.RunForMillis(200);
  const std::vector<SentRequest>& sent = transport_->sent();
  ASSERT_GE(sent.size(), 6u);
  EXPECT_EQ(sent[4].at - sent[3].at, kMilli);
  EXPECT_EQ(sent[5].at - sent[4].at, 10 * kMilli);
}

TEST_F(LoopWorkerTest, FailuresAreCountedAndTheShareStillEnds) {
  reply_ = [](const SentRequest& r) {
    if (r.number % 3 == 0)
      return std::vector<WireStep>{MemoryTransport::Failure(0, FailureClass::kConnectionReset)};
    return MemoryTransport::Stream(10, 10 * kMilli, 10 * kMilli);
  };
  RunLevel(4, 30);
  EXPECT_EQ(measured().sent, 30u);
  EXPECT_EQ(measured().ok + measured().failed, 30u);
  EXPECT_GT(told_.facts.failures["connection_reset"], 0u);
}

TEST_F(LoopWorkerTest, EachSlotKeepsToTheTargetOfItsTurn) {
  addresses_ = {{"a:1", "b:1"}, {"c:1", "d:1"}};
  RunLevel(8, 40);
  for (const SentRequest& request : transport_->sent()) {
    EXPECT_EQ(request.target, request.slot % 2) << request.number;
    EXPECT_EQ(request.address, request.slot / 2 % 2) << request.number;
  }
}

TEST_F(LoopWorkerTest, NoTwoBodiesAreTheSame) {
  RunLevel(8, 40);
  std::set<std::string> bodies;
  for (const SentRequest& request : transport_->sent()) bodies.insert(request.body);
  EXPECT_EQ(bodies.size(), transport_->sent().size());
}

}  // namespace
}  // namespace tidemark
