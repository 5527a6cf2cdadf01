#include "coordinator/core/job/probe_judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(ProbeJudgement, ShowsNoKeyOfAUrl) {
  JobSpec spec;
  spec.endpoint.urls = {"http://h/v1/chat/completions?key=sesame"};
  v1::Probed report;
  report.mutable_failure()->set_url("http://h/v1/models?key=sesame");
  report.mutable_failure()->set_status(404);
  ProbeJudgement judgement = ApplyProbe(report, &spec);
  ASSERT_TRUE(judgement.refusal);
  EXPECT_EQ(judgement.refusal->reason,
            "http://h/v1/chat/completions?key=<not shown> names no model "
            "(http://h/v1/models?key=<not shown> answered 404: ): name one with --model");
  report.mutable_failure()->set_refusal(true);
  judgement = ApplyProbe(report, &spec);
  EXPECT_EQ(judgement.refusal->reason, "http://h/v1/models?key=<not shown> answered 404: ");
}

TEST(LevelPhaseName, IsAWordForTheUser) {
  EXPECT_STREQ(LevelPhaseName(LevelPhase::kPreparing), "preparing");
  EXPECT_STREQ(LevelPhaseName(LevelPhase::kRamp), "ramp");
  EXPECT_STREQ(LevelPhaseName(LevelPhase::kWarmup), "warm-up");
  EXPECT_STREQ(LevelPhaseName(LevelPhase::kMeasuring), "measuring");
  EXPECT_STREQ(LevelPhaseName(LevelPhase::kStopping), "draining");
  EXPECT_STREQ(LevelPhaseName(LevelPhase::kRecords), "records");
}

}  // namespace
}  // namespace tidemark
