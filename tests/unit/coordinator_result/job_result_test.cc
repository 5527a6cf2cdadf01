#include "coordinator/core/result/job_result.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

// A level of 10 measured requests and 4 others that cost 140 output and 280 input tokens.
v1::LevelResult Level() {
  v1::LevelResult level;
  level.mutable_measured()->set_sent(10);
  level.mutable_unmeasured()->set_sent(4);
  level.set_total_output_tokens(100);
  level.set_sent_output_tokens(140);
  level.set_sent_input_tokens(280);
  return level;
}

ProbeFindings Probe() {
  ProbeFindings probe;
  probe.report.set_requests(4);
  probe.report.set_output_tokens(7);
  probe.report.set_input_tokens(90);
  return probe;
}

TEST(JobResult, WhatWasSentIsTheProbesAndEveryRequestOfEachLevel) {
  const v1::Result result = BuildResult({}, {}, Probe(), {Level(), Level()}, {});
  EXPECT_EQ(result.requests_sent(), 4u + 2 * 14);
  EXPECT_EQ(result.output_tokens_sent(), 7u + 2 * 140);
  EXPECT_EQ(result.input_tokens_sent(), 90u + 2 * 280);
}

TEST(JobResult, WhatVoidAttemptsSentIsCountedOnce) {
  v1::LevelResult level = Level();
  level.add_void_attempts()->set_sent(5);
  JobFinished finished;
  finished.sent_without_level = {5, 11, 13};
  const v1::Result result = BuildResult({}, {}, std::nullopt, {level}, finished);
  EXPECT_EQ(result.requests_sent(), 14u + 5);
  EXPECT_EQ(result.output_tokens_sent(), 140u + 11);
  EXPECT_EQ(result.input_tokens_sent(), 280u + 13);
}

TEST(JobResult, RepeatsNoWarning) {
  ProbeFindings probe = Probe();
  probe.report.add_warnings("of the probe");
  JobRecord record;
  record.warnings = {"of the probe", "an agent is lost", "an agent is lost"};  // as they were said
  const v1::Result result = BuildResult({}, record, probe, {Level()}, {});
  EXPECT_EQ(std::vector<std::string>(result.warnings().begin(), result.warnings().end()),
            std::vector<std::string>({"of the probe", "an agent is lost"}));
}

}  // namespace
}  // namespace tidemark
