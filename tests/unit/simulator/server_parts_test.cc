// The small parts of the server that need no socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/fixed_delay.h"
#include "simulator/options.h"
#include "simulator/reply_text.h"
#include "simulator/stats.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

TEST(FixedDelay, EachStreamHasItsOwnTimes) {
  FixedDelay schedule(100, 10);
  schedule.Arrive(0, {1, 0, 3});
  schedule.Arrive(5, {2, 0, 1});
  std::vector<SimTime> times;
  std::vector<TokenEmission> out;
  while (const auto due = schedule.NextDue()) {
    times.push_back(*due);
    schedule.EmitNext(*due, &out);
  }
  EXPECT_EQ(times, (std::vector<SimTime>{100, 105, 110, 120}));
  EXPECT_TRUE(out[1].last);
  EXPECT_EQ(out[3].index, 2);
}

TEST(FixedDelay, LateCallerCausesNoDrift) {
  FixedDelay schedule(100, 10);
  schedule.Arrive(0, {1, 0, 3});
  std::vector<TokenEmission> out;
  schedule.EmitNext(500, &out);
  EXPECT_EQ(*schedule.NextDue(), 110);
}

TEST(FixedDelay, CancelledStreamEmitsNoMore) {
  FixedDelay schedule(100, 10);
  schedule.Arrive(0, {1, 0, 3});
  EXPECT_TRUE(schedule.Cancel(1));
  std::vector<TokenEmission> out;
  schedule.EmitNext(100, &out);
  EXPECT_TRUE(out.empty());
  EXPECT_FALSE(schedule.NextDue().has_value());
}

TEST(LatenessHistogram, QuantileIsTheUpperEdgeOfItsBucket) {
  LatenessHistogram histogram;
  for (int64_t us = 1; us <= 1000; ++us) histogram.Add(us);
  EXPECT_GE(histogram.Quantile(0.5), 500);
  EXPECT_LE(histogram.Quantile(0.5), 532);
  EXPECT_EQ(histogram.Quantile(1), 1000);
}

TEST(SimulatorStats, ResetKeepsWhatIsInFlight) {
  SimulatorStats stats;
  stats.CountRequest("/a");
  stats.Enter();
  stats.Reset();
  EXPECT_EQ(stats.requests, 0);
  EXPECT_EQ(stats.in_flight_max, 1);
}

ReplyText ChatText(bool role_event) {
  CompletionRequest request;
  request.model = "m\"";
  return ReplyText(request, 1, 5, role_event);
}

TEST(ReplyText, FirstEventCarriesTheRoleAndTheToken) {
  std::string out;
  ChatText(false).AppendTokenEvent(0, FinishReason::kNone, &out);
  EXPECT_EQ(out,
            "data: {\"id\":\"chatcmpl-0000000000000001\",\"object\":\"chat.completion.chunk\","
            "\"created\":5,\"model\":\"m\\\"\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
            "\"assistant\",\"content\":\" spring\"},\"logprobs\":null,\"finish_reason\":null}]}"
            "\n\n");
}

TEST(ReplyText, RoleEventStandsBeforeTheFirstTokens) {
  std::string out;
  ChatText(true).AppendTokenEvent(0, FinishReason::kNone, &out);
  EXPECT_THAT(out, HasSubstr("\"delta\":{\"role\":\"assistant\",\"content\":\"\"}"));
  EXPECT_THAT(out, HasSubstr("\"delta\":{\"content\":\" spring\"}"));
}

TEST(CheckOptions, NamesFieldValueAndRange) {
  SimulatorOptions options;
  options.law.jitter = 3;
  EXPECT_THAT(std::string(CheckOptions(options).message()),
              HasSubstr("jitter is 3; it must be from 0 to 0.99"));
}

TEST(CheckOptions, RefusesACertificateWithoutItsKey) {
  SimulatorOptions options;
  options.tls_cert = "c.pem";
  EXPECT_THAT(std::string(CheckOptions(options).message()), HasSubstr("tls-key"));
}

TEST(CheckOptions, AcceptsTheDefaults) { EXPECT_TRUE(CheckOptions(SimulatorOptions()).ok()); }

}  // namespace
}  // namespace tidemark
