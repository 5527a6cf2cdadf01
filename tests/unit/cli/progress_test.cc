#include "cli/progress.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Terminal kPipe{false, false, 80};
constexpr Terminal kPlain{true, false, 80};
constexpr Terminal kColor{true, true, 80};

LiveProgress Live() {
  LiveProgress live;
  live.level_number = 3;
  live.levels_planned = 7;
  live.concurrency = 16;
  live.phase = "measuring";
  live.in_flight = 16;
  live.done = 312;
  live.planned = 1500;
  live.tokens_per_second = 1234.4;
  live.p99_ms = 2310;
  live.seconds_left = 12.2;
  return live;
}

v1::LevelResult Level() {
  v1::LevelResult level;
  level.set_concurrency(16);
  level.set_verdict(v1::PASS);
  level.mutable_measured()->set_ok(99);
  level.mutable_measured()->set_failed(1);
  level.set_output_token_throughput(5678);
  v1::MetricStatistics* latency = level.add_metrics();
  latency->set_tag("request_latency");
  latency->set_count(99);
  v1::Quantile* quantile = latency->add_quantiles();
  quantile->set_p(0.99);
  quantile->set_value(2310);
  return level;
}

TEST(RenderProgress, SaysLevelLoadCountsRateAndTimeLeft) {
  EXPECT_EQ(RenderProgress(Live(), 200),
            "level 3 of 7 · concurrency 16 · measuring · 16 in flight · 312/1,500 · 1,234 tok/s · "
            "p99 2,310 ms · 12 s left");
}

TEST(RenderProgress, LeavesOutWhatIsNotKnown) {
  LiveProgress live;
  live.level_number = 1;
  live.concurrency = 2;
  live.planned = 5;
  EXPECT_EQ(RenderProgress(live, 200), "level 1 · concurrency 2 · 0 in flight · 0/5");
}

TEST(RenderProgress, IsNeverWiderThanTheTerminal) {
  for (int width = 0; width < 130; ++width) {
    EXPECT_LE(TextWidth(RenderProgress(Live(), width)), width);
  }
}

TEST(RenderLevel, SaysVerdictCountsThroughputAndLatency) {
  EXPECT_EQ(RenderLevel(Level(), kPipe),
            "concurrency   16  PASS · 100 requests, 1 failed · 5,678 tok/s · latency p99 2,310 ms");
}

TEST(RenderLevel, IsPaintedOnlyWhereColorsAreWanted) {
  EXPECT_THAT(RenderLevel(Level(), kPlain), Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderLevel(Level(), kColor), HasSubstr("\x1b[32mPASS\x1b[0m"));
}

TEST(RenderLevel, ShowsAnInvalidMeasurementAsSuch) {
  v1::LevelResult level = Level();
  level.set_validity(v1::VALIDITY_INVALID);
  EXPECT_THAT(RenderLevel(level, kPipe), HasSubstr("INVALID"));
}

TEST(ProgressView, RedrawsOneLineOnATerminal) {
  std::ostringstream out;
  ProgressView view(kPlain, out);
  view.Show(Live());
  EXPECT_THAT(out.str(), testing::StartsWith("\rlevel 3"));
  EXPECT_THAT(out.str(), EndsWith("\x1b[K"));
  view.Finish();
  EXPECT_THAT(out.str(), EndsWith("\r\x1b[K"));
}

TEST(ProgressView, PrintsOnlyLevelsElsewhere) {
  std::ostringstream out;
  ProgressView view(kPipe, out);
  view.Show(Live());
  EXPECT_EQ(out.str(), "");
  view.LevelDone(Level());
  EXPECT_EQ(out.str(), RenderLevel(Level(), kPipe) + "\n");
}

TEST(ProgressView, KeepsTheLiveLineBelowWhatIsSaid) {
  std::ostringstream out;
  ProgressView view(kPlain, out);
  view.Show(Live());
  view.Say("note");
  EXPECT_THAT(out.str(), EndsWith("note\n" + RenderProgress(Live(), 79)));
}

// Copies to the clipboard of the terminal that shows it.
constexpr char kHostile[] = "model \x1b]52;c;cm0gLXJm\x07\xc2\x9b" "31m\r\nnext";

TEST(RenderLevel, StripsAReasonOfControlCharacters) {
  v1::LevelResult level = Level();
  level.set_verdict_reason(kHostile);
  EXPECT_THAT(RenderLevel(level, kPlain), EndsWith("model ]52;c;cm0gLXJm 31m next"));
}

TEST(ProgressView, StripsWhatIsSaidOfControlCharacters) {
  std::ostringstream out;
  ProgressView(kPipe, out).Say(kHostile);
  EXPECT_EQ(out.str(), "model ]52;c;cm0gLXJm 31m next\n");
}

TEST(CutToWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(CutToWidth("äöü", 3), "äöü");
  EXPECT_EQ(CutToWidth("äöüx", 3), "äö…");
}

}  // namespace
}  // namespace tidemark
