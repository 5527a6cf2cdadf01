#include "coordinator/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "common/measurement/histogram.h"
#include "coordinator/report/answer.h"
#include "coordinator/report/format.h"
#include "coordinator/report/statements.h"
#include "tests/golden/report/sample_result.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

v1::Result WithLargeFigures() {
  v1::Result result = SampleSweep();
  for (v1::LevelResult& level : *result.mutable_levels()) {
    level.set_concurrency(level.concurrency() + 10'000);
    level.mutable_measured()->set_ok(99'999);
    level.set_output_token_throughput(123'456);
    level.set_verdict(v1::INCONCLUSIVE);
    level.set_error_rate(0.0123);
  }
  return result;
}

TEST(Summary, StaysWithinTheWidth) {
  for (const v1::Result& result : {SampleSweep(), SampleSearch(), WithLargeFigures()}) {
    const std::string text = SummaryText(result);
    const absl::string_view after_answer = absl::string_view(text).substr(text.find('\n'));
    for (const absl::string_view line : absl::StrSplit(after_answer, '\n')) {
      if (absl::StartsWith(line, "Again:")) continue;  // for copying
      EXPECT_LE(DisplayWidth(line), 100u) << line;
    }
  }
}

TEST(Summary, BeginsWithTheAnswerInOneLineWhateverTheWidth) {
  SummaryOptions options;
  options.width = 40;
  EXPECT_THAT(SummaryText(SampleSweep(), options),
              StartsWith(AnswerOf(SampleSweep()).headline() + "\n"));
}

TEST(Summary, GivesTheReasonsOfAnInvalidAnswerBelowIt) {
  v1::Result result = SampleSweep();
  result.clear_answer();
  for (v1::LevelResult& level : *result.mutable_levels()) {
    level.set_verdict(v1::INVALID);
    level.set_verdict_reason("late: add an agent");
  }
  const std::string text = SummaryText(result);
  EXPECT_THAT(text, StartsWith("INVALID: no level could be measured: "));
  EXPECT_THAT(text, HasSubstr("\nReason:  at 1: late: add an agent\n"));
  EXPECT_THAT(text, HasSubstr("\n         and 1 more in the report.\n"));
}

TEST(Summary, ShowsAtMostThreeWarnings) {
  v1::Result result = SampleSweep();
  for (int i = 0; i < 4; ++i) result.add_warnings("another");
  const std::string text = SummaryText(result);
  EXPECT_THAT(text, HasSubstr("and 3 more in the report"));
}

TEST(Summary, TerminalControlsOfAServerDoNotPass) {
  v1::Result result = SampleSweep();
  result.mutable_error()->set_type("http_500");
  result.mutable_error()->set_message(kHostileExcerpt);
  result.add_warnings(kHostileExcerpt);
  result.mutable_endpoint()->set_model("x\x1b]0;owned\x07");
  EXPECT_THAT(SummaryText(result), Not(HasSubstr("\x1b")));
}

TEST(Summary, ColoursOnlyWhenAsked) {
  SummaryOptions options;
  options.color = true;
  EXPECT_THAT(SummaryText(SampleSweep(), options), HasSubstr("\x1b[31mFAIL\x1b[0m"));
  EXPECT_THAT(SummaryText(SampleSweep()), Not(HasSubstr("\x1b")));
}

TEST(Summary, AFailedJobHasNoTable) {
  v1::Result result;
  result.mutable_error()->set_type("connect");
  result.mutable_error()->set_message("refused");
  EXPECT_THAT(SummaryText(result), StartsWith("ERROR: connect: refused\n\nReport:"));
}

TEST(Summary, SaysHowFarTheLawIs) {
  EXPECT_EQ(LawSentence(SampleSweep()),
            "By its law the simulator saturates at 16 requests. Measured throughput is within 0.1 "
            "% of it (farthest off at 32).");
}

TEST(Summary, SaysThatTheKneesCrossChecksDiffer) {
  v1::Result result = SampleSweep();
  result.mutable_knee()->set_cross_checks_differ(true);
  result.mutable_knee()->set_kneedle(32);
  EXPECT_THAT(KneeSentence(result),
              HasSubstr("; the cross-checks differ by more than 2 x: Kneedle 32"));
}

v1::Result WithReads(uint64_t reads, const std::vector<uint64_t>& delays_us) {
  v1::Result result;
  v1::SelfCheckFacts* check = result.add_levels()->add_agents()->mutable_self_check();
  Histogram delay;
  for (const uint64_t micros : delays_us) delay.Record(micros);
  delay.EncodeTo(check->mutable_reader_delay_us());
  check->set_reads(reads);
  return result;
}

TEST(ArrivalTimes, AreTheKernelsWhereItStampedThem) {
  EXPECT_THAT(ArrivalTimesSentence(WithReads(4, {100, 100})),
              testing::AllOf(HasSubstr("the kernel's receive stamp of each read, for 50"), HasSubstr("0.1")));
}

TEST(ArrivalTimes, AreTheLoopsWhereItGaveNone) {
  EXPECT_EQ(ArrivalTimesSentence(WithReads(4, {})), "the event loop's own clock at each read");
}

TEST(ArrivalTimes, AreTheLoopsAsAsked) {
  v1::Result result = WithReads(4, {});
  result.mutable_levels(0)->mutable_plan()->set_user_timestamps(true);
  EXPECT_THAT(ArrivalTimesSentence(result), HasSubstr("as asked"));
}

v1::Result WithASuspectLevel() {
  v1::Result result;
  result.add_levels()->set_concurrency(4);
  v1::LevelResult* level = result.add_levels();
  level->set_concurrency(8);
  level->set_validity(v1::SUSPECT);
  v1::ValidityCheck* check = level->add_validity_checks();
  check->set_state(v1::SUSPECT);
  check->set_advice("agent-2 read 3.1 ms late at p99: add an agent");
  return result;
}

TEST(ValiditySentences, GiveTheCureOfASuspectLevel) {
  EXPECT_EQ(ValiditySentences(WithASuspectLevel()),
            std::vector<std::string>{"suspect at 8: agent-2 read 3.1 ms late at p99: add an agent"});
}

TEST(ValiditySentences, StandAmongTheWarnings) {
  EXPECT_THAT(SummaryText(WithASuspectLevel()), HasSubstr("Warning: suspect at 8: agent-2 read 3.1 ms late"));
}

TEST(ValiditySentences, GiveTheReasonOfAnInvalidLevelFirst) {
  v1::Result result = WithASuspectLevel();
  v1::LevelResult* level = result.add_levels();
  level->set_concurrency(16);
  level->set_verdict(v1::INVALID);
  level->set_verdict_reason("agent-2 was throttled");
  EXPECT_EQ(ValiditySentences(result).front(), "at 16: agent-2 was throttled");
}

}  // namespace
}  // namespace tidemark
