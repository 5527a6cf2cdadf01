#include "agent/core/request_record.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSent = 7'000 * kMs;

// A stream: sent at 0, tokens at 100, 110, 130 ms, ended at 140 ms.
RequestRecord Stream() {
  RequestRecord r;
  r.sent = kSent;
  r.first_byte = kSent + 90 * kMs;
  r.first_event = kSent + 95 * kMs;
  r.AddTokenEvent(kSent + 100 * kMs, true, false);
  r.AddTokenEvent(kSent + 110 * kMs, true, true);
  r.AddTokenEvent(kSent + 130 * kMs, true, true);
  r.ended = kSent + 140 * kMs;
  r.outcome = Outcome::kOk;
  return r;
}

TEST(RequestRecord, LatenciesRunFromSent) {
  const RequestRecord r = Stream();
  EXPECT_EQ(TimeToFirstByteUs(r), 90'000u);
  EXPECT_EQ(TimeToFirstEventUs(r), 95'000u);
  EXPECT_EQ(TimeToFirstTokenUs(r), 100'000u);
  EXPECT_EQ(TimeToSecondTokenUs(r), 10'000u);
  EXPECT_EQ(TimeToFirstOutputTokenUs(r), 110'000u);
  EXPECT_EQ(RequestLatencyUs(r), 130'000u);
}

TEST(RequestRecord, TimePerTokenDividesByTheTokensAfterTheFirst) {
  RequestRecord r = Stream();
  r.usage_completion_tokens = 13;
  EXPECT_EQ(InterTokenLatencyUs(r), 2'500u);
  EXPECT_EQ(TokensPerSecondPerUserMilli(r), 400'000u);
  EXPECT_EQ(TokensPerChunkMilli(r), 4'333u);
}

TEST(RequestRecord, OneTokenHasNoTimePerToken) {
  RequestRecord r = Stream();
  r.usage_completion_tokens = 1;
  EXPECT_EQ(InterTokenLatencyUs(r), std::nullopt);
  EXPECT_EQ(TokensPerSecondPerUserMilli(r), std::nullopt);
}

TEST(RequestRecord, GapsAreBetweenTokensOfDifferentReads) {
  RequestRecord r;
  r.AddTokenEvent(10 * kMs, true, true);
  r.AddTokenEvent(10 * kMs, false, true);
  r.AddTokenEvent(10 * kMs + 1'400, true, true);
  r.AddTokenEvent(30 * kMs, true, true);
  EXPECT_EQ(r.chunk_gaps_us, (std::vector<uint32_t>{1, 19'999}));
  EXPECT_EQ(r.token_events, 4u);
  EXPECT_EQ(r.token_reads, 3u);
}

TEST(RequestRecord, OnlyASuccessHasALatency) {
  RequestRecord r = Stream();
  r.outcome = Outcome::kFailed;
  EXPECT_EQ(RequestLatencyUs(r), std::nullopt);
  EXPECT_EQ(InterTokenLatencyUs(r), std::nullopt);
  EXPECT_EQ(TimeToFirstTokenUs(r), 100'000u);
}

TEST(RequestRecord, WithoutStreamingTheLatencyRunsToTheEnd) {
  RequestRecord r;
  r.streaming = false;
  r.sent = kSent;
  r.ended = kSent + 140 * kMs;
  r.usage_completion_tokens = 10;
  r.outcome = Outcome::kOk;
  EXPECT_EQ(RequestLatencyUs(r), 140'000u);
  EXPECT_EQ(InterTokenLatencyUs(r), std::nullopt);
  EXPECT_EQ(TokensPerChunkMilli(r), std::nullopt);
}

TEST(RequestRecord, RateModesCountFromThePlan) {
  RequestRecord r = Stream();
  EXPECT_EQ(ScheduleDelayUs(r), std::nullopt);
  EXPECT_EQ(EffectiveLatencyUs(r), std::nullopt);
  r.planned = kSent - 5 * kMs;
  EXPECT_EQ(ScheduleDelayUs(r), 5'000u);
  EXPECT_EQ(EffectiveLatencyUs(r), 135'000u);
}

TEST(RequestRecord, ConnectionTimesExistForNewConnections) {
  RequestRecord r = Stream();
  EXPECT_EQ(ConnectTimeUs(r), std::nullopt);
  r.connected = kSent + 3 * kMs;
  r.tls_done = kSent + 7 * kMs;
  EXPECT_EQ(ConnectTimeUs(r), 3'000u);
  EXPECT_EQ(TlsTimeUs(r), 4'000u);
}

TEST(RequestRecord, RoundsToTheNearestMicrosecond) {
  RequestRecord r;
  r.sent = 0;
  r.first_byte = 1'499;
  EXPECT_EQ(TimeToFirstByteUs(r), 1u);
  r.first_byte = 1'500;
  EXPECT_EQ(TimeToFirstByteUs(r), 2u);
}

TEST(RequestRecord, CrossedStampsAreZeroNotHuge) {
  RequestRecord r;
  r.sent = 1'000;
  r.first_byte = 0;
  EXPECT_EQ(TimeToFirstByteUs(r), 0u);
}

TEST(RequestRecord, CountsTokensByTheFirstSourceThatExists) {
  RequestRecord r = Stream();
  EXPECT_EQ(OutputSequenceLength(r), 3u);
  EXPECT_EQ(OutputTokenSource(r), TokenCountSource::kEvents);
  r.usage_completion_tokens = 9;
  EXPECT_EQ(OutputSequenceLength(r), 9u);
  EXPECT_EQ(OutputTokenSource(r), TokenCountSource::kUsage);
  r.planned_input_tokens = 40;
  EXPECT_EQ(InputSequenceLength(r), 40u);
  r.usage_prompt_tokens = 41;
  EXPECT_EQ(InputSequenceLength(r), 41u);
}

bool Missed(uint32_t wanted, uint64_t got) {
  RequestRecord r;
  r.requested_output_tokens = wanted;
  r.usage_completion_tokens = got;
  return LengthMissed(r);
}

TEST(RequestRecord, ALengthIsMissedByMoreThanFivePercentAndFiftyTokens) {
  EXPECT_FALSE(Missed(128, 78));
  EXPECT_TRUE(Missed(128, 77));
  EXPECT_FALSE(Missed(2'000, 1'900));
  EXPECT_TRUE(Missed(2'000, 1'899));
  EXPECT_TRUE(Missed(2'000, 2'101));
  EXPECT_FALSE(Missed(0, 5'000));
}

TEST(RequestRecord, ResetForgetsAllButKeepsCapacity) {
  RequestRecord r = Stream();
  r.excerpt = std::string(500, 'x');
  r.measured = true;
  const size_t capacity = r.excerpt.capacity();
  r.Reset();
  EXPECT_EQ(r.first_token, kNoTime);
  EXPECT_EQ(r.token_events, 0u);
  EXPECT_FALSE(r.measured);
  EXPECT_TRUE(r.chunk_gaps_us.empty());
  EXPECT_EQ(r.excerpt, "");
  EXPECT_EQ(r.excerpt.capacity(), capacity);
}

TEST(FailureClass, HasItsNameInTheReports) {
  EXPECT_EQ(FailureClassName(FailureClass::kHttpStatus, 429), "http_429");
  EXPECT_EQ(FailureClassName(FailureClass::kTimeoutFirstToken, 0), "timeout_first_token");
  EXPECT_EQ(FailureClassName(FailureClass::kNone, 0), "");
}

}  // namespace
}  // namespace tidemark
