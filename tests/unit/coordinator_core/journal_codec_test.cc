#include "coordinator/core/job/journal_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tidemark {
namespace {

using testing::HasSubstr;

LevelOutcome FullOutcome() {
  LevelOutcome outcome;
  outcome.level = 336;
  outcome.verdict = Verdict::kFail;
  outcome.point_holds = true;
  outcome.first_breach = FirstBreach{{"time_to_first_token", SlaStat::kP999, SlaOp::kLe, 600.5, true}, 601.25};
  outcome.objective = 1234.5;
  outcome.invalid_reason = "loop lag of agent a1";
  outcome.seconds = 12.75;
  outcome.requests = 5000;
  outcome.tokens = 7'000'000'000;
  outcome.loads = {{"a1", 50, 30}, {"a2", 50, 50}};
  outcome.spread = true;
  return outcome;
}

// As a restart finds it: through bytes.
absl::StatusOr<LevelOutcome> ThroughBytes(const LevelOutcome& outcome) {
  v1::JournalOutcome kept;
  EXPECT_TRUE(kept.ParseFromString(EncodeOutcome(outcome).SerializeAsString()));
  return DecodeOutcome(kept);
}

std::string ErrorOf(const v1::JournalOutcome& entry) {
  const absl::Status status = DecodeOutcome(entry).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  return std::string(status.message());
}

TEST(JournalOutcome, KeepsEveryField) {
  const LevelOutcome wanted = FullOutcome();
  const absl::StatusOr<LevelOutcome> found = ThroughBytes(wanted);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->level, wanted.level);
  EXPECT_EQ(found->verdict, wanted.verdict);
  EXPECT_EQ(found->point_holds, wanted.point_holds);
  EXPECT_EQ(found->first_breach->sla, wanted.first_breach->sla);
  EXPECT_EQ(found->first_breach->observed, wanted.first_breach->observed);
  EXPECT_EQ(found->objective, wanted.objective);
  EXPECT_EQ(found->invalid_reason, wanted.invalid_reason);
  EXPECT_EQ(found->seconds, wanted.seconds);
  EXPECT_EQ(found->requests, wanted.requests);
  EXPECT_EQ(found->tokens, wanted.tokens);
  EXPECT_EQ(found->loads, wanted.loads);
  EXPECT_EQ(found->spread, wanted.spread);
}

TEST(JournalOutcome, WhatIsAbsentStaysAbsent) {
  LevelOutcome outcome = FullOutcome();
  outcome.first_breach->observed.reset();
  outcome.objective.reset();
  const absl::StatusOr<LevelOutcome> found = ThroughBytes(outcome);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(found->first_breach->observed.has_value());
  EXPECT_FALSE(found->objective.has_value());
  outcome.first_breach.reset();
  EXPECT_FALSE(ThroughBytes(outcome)->first_breach.has_value());
}

TEST(JournalOutcome, AnObjectiveOfZeroIsNoAbsentOne) {
  LevelOutcome outcome = FullOutcome();
  outcome.objective = 0;
  EXPECT_EQ(ThroughBytes(outcome)->objective, 0.0);
}

TEST(JournalOutcome, KeepsAQuantileThatFailuresMadeInfinite) {
  LevelOutcome outcome = FullOutcome();
  outcome.first_breach->observed = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ThroughBytes(outcome)->first_breach->observed, outcome.first_breach->observed);
}

TEST(JournalOutcome, KeepsEachVerdict) {
  for (const Verdict verdict : {Verdict::kPass, Verdict::kFail, Verdict::kInconclusive, Verdict::kInvalid}) {
    LevelOutcome outcome = FullOutcome();
    outcome.verdict = verdict;
    EXPECT_EQ(ThroughBytes(outcome)->verdict, verdict) << VerdictName(verdict);
  }
}

TEST(JournalOutcome, KeepsEachStatisticAndComparison) {
  for (const SlaStat stat : {SlaStat::kAvg, SlaStat::kP1, SlaStat::kP5, SlaStat::kP10, SlaStat::kP25, SlaStat::kP50,
                             SlaStat::kP75, SlaStat::kP90, SlaStat::kP95, SlaStat::kP99, SlaStat::kP999,
                             SlaStat::kRate}) {
    for (const SlaOp op : {SlaOp::kLt, SlaOp::kLe, SlaOp::kGt, SlaOp::kGe}) {
      LevelOutcome outcome = FullOutcome();
      outcome.first_breach->sla.stat = stat;
      outcome.first_breach->sla.op = op;
      const absl::StatusOr<LevelOutcome> found = ThroughBytes(outcome);
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(found->first_breach->sla, outcome.first_breach->sla);
    }
  }
}

TEST(JournalOutcome, WithoutAVerdictIsRefused) {
  v1::JournalOutcome entry = EncodeOutcome(FullOutcome());
  entry.clear_verdict();
  EXPECT_THAT(ErrorOf(entry), HasSubstr("outcome.verdict is 0"));
}

TEST(JournalOutcome, OfAVerdictThatIsNotKnownIsRefused) {
  v1::JournalOutcome entry = EncodeOutcome(FullOutcome());
  entry.set_verdict(static_cast<v1::Verdict>(17));
  EXPECT_THAT(ErrorOf(entry), HasSubstr("outcome.verdict is 17"));
}

TEST(JournalOutcome, OfAStatisticThatIsNotKnownIsRefused) {
  v1::JournalOutcome entry = EncodeOutcome(FullOutcome());
  entry.mutable_first_breach()->set_stat("p42");
  EXPECT_THAT(ErrorOf(entry), testing::AllOf(HasSubstr("outcome.first_breach.stat"), HasSubstr("p42")));
}

TEST(JournalOutcome, OfAComparisonThatIsNotKnownIsRefused) {
  v1::JournalOutcome entry = EncodeOutcome(FullOutcome());
  entry.mutable_first_breach()->set_op("near");
  EXPECT_THAT(ErrorOf(entry), testing::AllOf(HasSubstr("outcome.first_breach.op"), HasSubstr("near")));
}

TEST(JournalVoid, KeepsEveryField) {
  const AttemptVoided wanted{{"job", 3, 2}, 64, {2, "b", "lost: its lease lapsed", {30, 400, 5'000'000'000}}};
  v1::JournalVoid kept;
  ASSERT_TRUE(kept.ParseFromString(EncodeVoid(wanted).SerializeAsString()));
  EXPECT_EQ(kept.attempt().level(), 3u);
  EXPECT_EQ(kept.attempt().concurrency(), 64u);
  const VoidedAttempt found = DecodeVoid(kept);
  EXPECT_EQ(found.attempt, 2u);
  EXPECT_EQ(found.agent, "b");
  EXPECT_EQ(found.reason, "lost: its lease lapsed");
  EXPECT_EQ(found.sent.requests, 30u);
  EXPECT_EQ(found.sent.output_tokens, 400u);
  EXPECT_EQ(found.sent.input_tokens, 5'000'000'000u);
}

TEST(JournalAttempt, NamesTheVisitTheAttemptAndTheConcurrency) {
  const v1::JournalAttempt entry = EncodeAttempt({"job", 3, 2}, 64);
  EXPECT_EQ(entry.level(), 3u);
  EXPECT_EQ(entry.attempt(), 2u);
  EXPECT_EQ(entry.concurrency(), 64u);
}

}  // namespace
}  // namespace tidemark
