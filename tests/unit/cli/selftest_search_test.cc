#include "cli/selftest_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using Asked = std::vector<uint32_t>;

// What a host that drives `drives` streams is asked, at most 50 times.
Asked AskedOf(SelftestSearch& search, uint32_t drives) {
  Asked asked;
  for (int i = 0; i < 50 && search.Next(); ++i) {
    asked.push_back(*search.Next());
    search.Take(asked.back() <= drives);
  }
  return asked;
}

SelftestSearch::Options Options(uint32_t most, int tries = 1) { return {500, most, 0.1, tries}; }

TEST(SelftestSearch, DoublesThenHalvesTheGap) {
  SelftestSearch search(Options(19'000));
  EXPECT_EQ(AskedOf(search, 1'300), Asked({500, 1'000, 2'000, 1'500, 1'250, 1'375}));
  EXPECT_EQ(search.best(), 1'250u);
}

TEST(SelftestSearch, StopsAtTheHostsLimits) {
  SelftestSearch search(Options(768));
  EXPECT_EQ(AskedOf(search, 5'000), Asked({500, 768}));
  EXPECT_EQ(search.best(), 768u);
}

TEST(SelftestSearch, GoesDownWhereTheFirstIsTooMany) {
  SelftestSearch search(Options(19'000));
  EXPECT_EQ(AskedOf(search, 130), Asked({500, 125, 312, 218, 171, 148, 136}));
  EXPECT_EQ(search.best(), 125u);
}

TEST(SelftestSearch, EndsWhereNoneAreDriven) {
  SelftestSearch search(Options(19'000));
  EXPECT_EQ(AskedOf(search, 0), Asked({500, 125, 31, 8}));
  EXPECT_EQ(search.best(), 0u);
}

TEST(SelftestSearch, TriesWhatWasNotDrivenAgain) {
  SelftestSearch search(Options(19'000, 2));
  search.Take(false);
  EXPECT_EQ(search.Next(), 500u);
  search.Take(true);
  EXPECT_EQ(search.Next(), 1'000u);
}

SelftestTrial Good() {
  SelftestTrial trial;
  trial.streams = 500;
  trial.latency_ms = trial.due_latency_ms = 1'000;
  return trial;
}

TEST(SelftestTrial, IsDrivenWhenNothingWasLate) { EXPECT_EQ(WhyNotDriven(Good()), ""); }

TEST(SelftestTrial, SaysWhatWasTooMuch) {
  SelftestTrial trial = Good();
  trial.reader_delay_p99_ms = 1;
  EXPECT_EQ(WhyNotDriven(trial), "read 1.00 ms late at p99");
  trial.stamped = false;
  EXPECT_EQ(WhyNotDriven(trial), "woke 1.00 ms late at p99");
  trial = Good();
  trial.send_lateness_p99_ms = 2.5;
  EXPECT_EQ(WhyNotDriven(trial), "sent 2.50 ms late at p99");
  trial = Good();
  trial.in_flight = 0.97;
  EXPECT_THAT(WhyNotDriven(trial), HasSubstr("97.0 %"));
  trial = Good();
  trial.failures = 3;
  EXPECT_EQ(WhyNotDriven(trial), "3 requests failed");
}

TEST(SelftestTrial, AnEndpointThatIsLateIsNotThisHostsProof) {
  SelftestTrial trial = Good();
  trial.latency_ms = 1'051;
  EXPECT_THAT(WhyNotDriven(trial), HasSubstr("the null endpoint was late itself"));
}

}  // namespace
}  // namespace tidemark
