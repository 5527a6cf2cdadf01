// The pure law, run in virtual time, against the closed form of the tests; and the product's own
// closed form against both.
#include "simulator/law_prediction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/batch_law.h"
#include "tests/unit/simulator/closed_form.h"
#include "tests/unit/simulator/closed_loop_run.h"

namespace tidemark {
namespace {

using testing::ClosedLoopResult;
using testing::ClosedLoopSetup;
using testing::LawCase;

LawConstants Constants(const LawCase& law) {
  LawConstants out;
  out.prefill_us_per_token = law.a_ms * 1000;
  out.step_ms = law.b_ms;
  out.sequence_ms = law.c_ms;
  out.max_batch = law.max_batch;
  return out;
}

ClosedLoopSetup Setup(const LawCase& law, int clients) {
  ClosedLoopSetup setup;
  setup.clients = clients;
  setup.prompt_tokens = law.prompt;
  setup.output_tokens = law.output;
  return setup;
}

// The clients start spread over one turn of theirs, as an agent's ramp spreads them.
ClosedLoopResult RunLaw(const LawCase& law, int clients) {
  ClosedLoopSetup setup = Setup(law, clients);
  setup.ramp = static_cast<SimTime>(1e6 * testing::ClosedFormLatencyMs(law, clients));
  BatchLaw schedule(Constants(law), 1);
  return testing::RunClosedLoop(setup, &schedule);
}

// No two clients are admitted by the same step, or by neighbours.
ClosedLoopResult RunSpread(const LawCase& law, int clients) {
  ClosedLoopSetup setup = Setup(law, clients);
  setup.start_every_steps = law.output / std::min(clients, law.max_batch);
  BatchLaw schedule(Constants(law), 1);
  return testing::RunClosedLoop(setup, &schedule);
}

struct Point {
  LawCase law;
  int clients;
};

class ClosedFormTest : public ::testing::TestWithParam<Point> {};

TEST_P(ClosedFormTest, ThroughputOfTheLawIsThatOfTheClosedForm) {
  const double expected = testing::ClosedFormTokensPerSecond(GetParam().law, GetParam().clients);
  EXPECT_NEAR(RunLaw(GetParam().law, GetParam().clients).tokens_per_second / expected, 1, 0.005);
}

TEST_P(ClosedFormTest, LatencyOfTheLawIsThatOfTheClosedForm) {
  const double expected = testing::ClosedFormLatencyMs(GetParam().law, GetParam().clients);
  EXPECT_NEAR(RunLaw(GetParam().law, GetParam().clients).latency_ms / expected, 1, 0.005);
}

TEST_P(ClosedFormTest, PredictionIsTheClosedForm) {
  const LawCase& law = GetParam().law;
  const LawPrediction prediction = PredictClosedLoop(
      Constants(law),
      {GetParam().clients, static_cast<double>(law.prompt), static_cast<double>(law.output)});
  EXPECT_NEAR(prediction.output_token_throughput,
              testing::ClosedFormTokensPerSecond(law, GetParam().clients), 1e-6);
  EXPECT_NEAR(prediction.request_latency_ms, testing::ClosedFormLatencyMs(law, GetParam().clients),
              1e-9);
}

LawCase Case(int max_batch, int prompt, int output) {
  LawCase law;
  law.max_batch = max_batch;
  law.prompt = prompt;
  law.output = output;
  return law;
}

INSTANTIATE_TEST_SUITE_P(
    Levels, ClosedFormTest,
    ::testing::Values(Point{Case(16, 519, 128), 1}, Point{Case(16, 519, 128), 2},
                      Point{Case(16, 519, 128), 8}, Point{Case(16, 519, 128), 16},
                      Point{Case(16, 519, 128), 32}, Point{Case(16, 519, 128), 64},
                      Point{Case(16, 100, 16), 8}, Point{Case(16, 100, 16), 16},
                      Point{Case(16, 100, 16), 48}, Point{Case(1, 100, 20), 1},
                      Point{Case(1, 100, 20), 3}, Point{Case(4, 2000, 64), 40}));

TEST(ClosedForm, FirstTokenOfSpreadClientsIsExactBelowMaxBatch) {
  const LawCase law = Case(16, 519, 128);
  for (const int clients : {2, 5, 16}) {
    EXPECT_NEAR(
        RunSpread(law, clients).first_token_ms / testing::ClosedFormFirstTokenMs(law, clients), 1,
        0.005)
        << clients;
  }
}

TEST(ClosedForm, FirstTokenOfSpreadClientsIsExactAboveMaxBatch) {
  const LawCase law = Case(16, 519, 128);
  for (const int clients : {32, 64}) {
    EXPECT_NEAR(
        RunSpread(law, clients).first_token_ms / testing::ClosedFormFirstTokenMs(law, clients), 1,
        0.005)
        << clients;
  }
}

TEST(ClosedForm, EveryRequestHasTheSameLatencyUpToMaxBatch) {
  const ClosedLoopResult run = RunLaw(Case(16, 519, 128), 16);
  EXPECT_NEAR(run.latency_max_ms, run.latency_min_ms, 0.01);
}

TEST(LawPrediction, FirstTokenIsThatOfTheClosedForm) {
  const LawCase law = Case(16, 519, 128);
  for (const int clients : {2, 5, 16, 32, 64}) {
    EXPECT_NEAR(PredictClosedLoop(Constants(law), {clients, 519, 128}).time_to_first_token_ms,
                testing::ClosedFormFirstTokenMs(law, clients), 1e-9)
        << clients;
  }
}

TEST(LawPrediction, InterTokenLatencyFillsTheLatency) {
  const LawPrediction at = PredictClosedLoop(LawConstants(), {8, 519, 128});
  EXPECT_NEAR(at.time_to_first_token_ms + 127 * at.inter_token_latency_ms, at.request_latency_ms,
              1e-9);
}

TEST(LawPrediction, LimitIsTheLastLevelWithinTheLatency) {
  const LawCase law = Case(16, 519, 128);
  for (double limit_ms = 50; limit_ms < 2000; limit_ms += 13.7) {
    EXPECT_EQ(LimitUnderLatency(Constants(law), 519, 128, limit_ms),
              testing::ClosedFormLimit(law, limit_ms))
        << limit_ms;
  }
}

TEST(LawPrediction, LatencyOfALevelAdmitsThatLevel) {
  for (int64_t clients = 1; clients <= 64; ++clients) {
    const double latency =
        PredictClosedLoop(LawConstants(), {clients, 519, 128}).request_latency_ms;
    EXPECT_EQ(LimitUnderLatency(LawConstants(), 519, 128, latency), clients);
  }
}

}  // namespace
}  // namespace tidemark
