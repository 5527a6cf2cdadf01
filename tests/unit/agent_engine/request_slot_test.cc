#include "agent/engine/request_slot.h"

#include <optional>

#include "agent/engine/target_setup.h"
#include "tests/support/memory_transport.h"
#include "tests/support/virtual_loop.h"

namespace tidemark {
namespace {

constexpr int64_t kMilli = kNanosPerMilli;
constexpr char kDone[] = "data: [DONE]\n\n";

class RequestSlotTest : public ::testing::Test, public RequestSlot::Owner {
 protected:
  RequestSlotTest() : adapter_(*SetUpAdapter({}, {})) { limits_.total_ms = 1'000; }

  void OnRequestEnded(RequestSlot&) override {
    ++ended_;
    ended_at_ms_ = (loop_.Now() - start_) / kMilli;
  }
  const RequestRecord& Run(std::vector<WireStep> steps) {
    transport_.emplace(&loop_, 1, [steps](const SentRequest&) { return steps; });
    slot_.emplace(0, &loop_, &*transport_, adapter_.get(), limits_, this, false);
    slot_->Begin(true);
    slot_->body() = "{}";
    start_ = slot_->record().sent = loop_.Now();
    slot_->Launch(0, 0);
    loop_.RunForMillis(5'000);
    EXPECT_EQ(ended_, 1);
    EXPECT_EQ(transport_->in_flight(), 0u);
    return slot_->record();
  }
  static WireStep Token(int64_t at_ms) {
    return MemoryTransport::Body(at_ms * kMilli, MemoryTransport::Chunk("a"));
  }

  VirtualLoop loop_;
  std::unique_ptr<EndpointAdapter> adapter_;
  TimeLimits limits_;
  std::optional<MemoryTransport> transport_;
  std::optional<RequestSlot> slot_;
  int ended_ = 0;
  int64_t start_ = 0, ended_at_ms_ = 0;
};

TEST_F(RequestSlotTest, AWholeStreamSucceedsAndKeepsTheConnection) {
  const RequestRecord& record = Run(MemoryTransport::Stream(3, 10 * kMilli, 10 * kMilli));
  EXPECT_TRUE(record.ok());
  EXPECT_EQ(*TimeToFirstTokenUs(record), 10'000u);
  EXPECT_EQ(transport_->counters().connections_open, 1u);
}

TEST_F(RequestSlotTest, TheTotalLimitFailsARequestThatGoesOn) {
  std::vector<WireStep> steps = {MemoryTransport::Head(0)};
  for (int at = 0; at < 3'000; at += 100) steps.push_back(Token(at));
  const RequestRecord& record = Run(steps);
  EXPECT_EQ(record.failure, FailureClass::kTimeoutTotal);
  EXPECT_EQ(ended_at_ms_, 1'000);
  EXPECT_EQ(transport_->counters().connections_open, 0u);
}

TEST_F(RequestSlotTest, TheFirstTokenLimitFailsAStreamOfCommentsOnly) {
  limits_.first_token_ms = 200;
  const RequestRecord& record = Run(
      {MemoryTransport::Head(0), MemoryTransport::Body(100 * kMilli, ": ping\n\n"), Token(300)});
  EXPECT_EQ(record.failure, FailureClass::kTimeoutFirstToken);
  EXPECT_EQ(ended_at_ms_, 200);
}

TEST_F(RequestSlotTest, TheFirstTokenLimitIsOverOnceATokenCame) {
  limits_.first_token_ms = 200;
  std::vector<WireStep> steps = MemoryTransport::Stream(5, 150 * kMilli, 100 * kMilli);
  EXPECT_TRUE(Run(steps).ok());
}

TEST_F(RequestSlotTest, TheIdleLimitCountsFromTheLastByteCommentsToo) {
  limits_.idle_ms = 100;
  const RequestRecord& record =
      Run({MemoryTransport::Head(0), Token(50), MemoryTransport::Body(140 * kMilli, ": ping\n\n"),
           Token(300)});
  EXPECT_EQ(record.failure, FailureClass::kTimeoutIdle);
  EXPECT_EQ(ended_at_ms_, 240);
}

TEST_F(RequestSlotTest, AfterDoneTheResponsesEndIsWaitedForTwoMillisecondsOnly) {
  const RequestRecord& record =
      Run({MemoryTransport::Head(0), Token(10), MemoryTransport::Body(20 * kMilli, kDone)});
  EXPECT_TRUE(record.ok());
  EXPECT_TRUE(record.done_but_open);
  EXPECT_EQ(ended_at_ms_, 22);
  EXPECT_EQ(record.ended - record.sent, 20 * kMilli);
  EXPECT_EQ(transport_->counters().connections_open, 0u);
}

TEST_F(RequestSlotTest, AnEndSoonAfterDoneKeepsTheConnection) {
  const RequestRecord& record =
      Run({MemoryTransport::Head(0), Token(10), MemoryTransport::Body(20 * kMilli, kDone),
           MemoryTransport::End(21 * kMilli)});
  EXPECT_TRUE(record.ok());
  EXPECT_FALSE(record.done_but_open);
  EXPECT_EQ(transport_->counters().connections_open, 1u);
}

TEST_F(RequestSlotTest, AfterTheLastFinishReasonUsageIsWaitedForASecond) {
  limits_.total_ms = 10'000;
  const RequestRecord& record =
      Run({MemoryTransport::Head(0), Token(10),
           MemoryTransport::Body(
               20 * kMilli,
               "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")});
  EXPECT_TRUE(record.ok());
  EXPECT_EQ(ended_at_ms_, 1'020);
}

// Bytes that waited: they arrived long before the loop took them, which must cost the server nothing.
WireStep Late(WireStep step, int64_t waited_ms) {
  step.waited = waited_ms * kMilli;
  return step;
}

TEST_F(RequestSlotTest, AfterAnOldDoneTheResponsesEndIsWaitedForAllTheSame) {
  const RequestRecord& record =
      Run({MemoryTransport::Head(0), Token(10), Late(MemoryTransport::Body(50 * kMilli, kDone), 30),
           MemoryTransport::End(51 * kMilli)});
  EXPECT_TRUE(record.ok());
  EXPECT_FALSE(record.done_but_open);
  EXPECT_EQ(record.ended - record.sent, 20 * kMilli);
}

TEST_F(RequestSlotTest, TheIdleLimitCountsFromWhenOldBytesWereTaken) {
  limits_.idle_ms = 100;
  std::vector<WireStep> steps = {MemoryTransport::Head(0), Late(Token(90), 80)};
  for (WireStep& step : MemoryTransport::Stream(2, 180 * kMilli, kMilli)) {
    if (step.kind != WireStep::Kind::kHead) steps.push_back(step);
  }
  const RequestRecord& record = Run(steps);
  EXPECT_TRUE(record.ok()) << ended_at_ms_;
  EXPECT_EQ(*TimeToFirstTokenUs(record), 10'000u);
}

TEST_F(RequestSlotTest, AfterAnOldFinishReasonUsageIsWaitedForTheWholeSecond) {
  limits_.total_ms = 10'000;
  const std::string finish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
  Run({MemoryTransport::Head(0), Token(10), Late(MemoryTransport::Body(920 * kMilli, finish), 900)});
  EXPECT_EQ(ended_at_ms_, 1'920);
}

TEST_F(RequestSlotTest, AFaultInTheBodyClosesTheConnectionAtOnce) {
  const RequestRecord& record =
      Run({MemoryTransport::Head(0), MemoryTransport::Body(10 * kMilli, "data: nonsense\n\n"),
           MemoryTransport::End(20 * kMilli)});
  EXPECT_EQ(record.failure, FailureClass::kProtocolError);
  EXPECT_EQ(ended_at_ms_, 10);
  EXPECT_EQ(transport_->counters().connections_open, 0u);
}

TEST_F(RequestSlotTest, AConnectionFailureIsTheRequests) {
  const RequestRecord& record =
      Run({MemoryTransport::Failure(5 * kMilli, FailureClass::kTimeoutConnect)});
  EXPECT_EQ(record.failure, FailureClass::kTimeoutConnect);
  EXPECT_EQ(record.outcome, Outcome::kFailed);
  EXPECT_EQ(slot_->failure_detail(), "scripted");
}

TEST_F(RequestSlotTest, OneTimerServesManyRequests) {
  Run(MemoryTransport::Stream(3, 10 * kMilli, 10 * kMilli));
  const size_t timers = loop_.timers();
  for (int i = 0; i < 20; ++i) {
    slot_->Begin(true);
    slot_->record().sent = loop_.Now();
    slot_->Launch(0, 0);
    loop_.RunForMillis(40);
  }
  EXPECT_EQ(ended_, 21);
  EXPECT_LE(loop_.timers(), timers + 1);
}

}  // namespace
}  // namespace tidemark
