#include "simulator/null_schedule.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark {
namespace {

// What is due by `now`, as "stream@due" in the order taken.
std::string Taken(NullSchedule* schedule, int64_t now) {
  std::string all;
  while (const std::optional<NullSchedule::Turn> turn = schedule->Take(now)) {
    if (!all.empty()) all += " ";
    all += std::to_string(turn->stream) + "@" + std::to_string(turn->due);
  }
  return all;
}

TEST(NullSchedule, FirstEventIsDueADelayAfterTheRequestAndTheOthersEachAGapLater) {
  NullSchedule schedule(100, 20);
  schedule.Start(7, 0, 3, 1000);
  EXPECT_EQ(Taken(&schedule, 5000), "7@1100 7@1120 7@1140");
}

TEST(NullSchedule, NothingIsTakenBeforeItsTime) {
  NullSchedule schedule(100, 20);
  schedule.Start(7, 0, 3, 1000);
  EXPECT_EQ(Taken(&schedule, 1099), "");
  EXPECT_EQ(Taken(&schedule, 1100), "7@1100");
}

TEST(NullSchedule, LateTakingDoesNotMoveThePlan) {
  NullSchedule schedule(100, 20);
  schedule.Start(7, 0, 2, 0);
  EXPECT_EQ(Taken(&schedule, 119), "7@100");
  EXPECT_EQ(schedule.NextDue(), 120);
}

TEST(NullSchedule, StreamsAreTakenInTheOrderOfTheirTimes) {
  NullSchedule schedule(100, 20);
  schedule.Start(1, 0, 3, 0);
  schedule.Start(2, 0, 2, 15);
  EXPECT_EQ(Taken(&schedule, 1000), "1@100 2@115 1@120 2@135 1@140");
}

TEST(NullSchedule, NothingIsDueOnceAllIsTaken) {
  NullSchedule schedule(100, 20);
  EXPECT_EQ(schedule.NextDue(), std::nullopt);
  schedule.Start(1, 0, 1, 0);
  EXPECT_EQ(schedule.NextDue(), 100);
  Taken(&schedule, 100);
  EXPECT_EQ(schedule.NextDue(), std::nullopt);
}

TEST(NullSchedule, StreamsWithoutGapsTakeTurns) {
  NullSchedule schedule(0, 0);
  schedule.Start(1, 0, 2, 5);
  schedule.Start(2, 0, 2, 5);
  const std::string taken = Taken(&schedule, 5);
  EXPECT_EQ(taken.size(), std::string("1@5 2@5 1@5 2@5").size());
  EXPECT_NE(taken.find("2@5 1@5"), std::string::npos) << taken;
}

TEST(NullSchedule, TurnsCarryTheGenerationAndWhatIsLeft) {
  NullSchedule schedule(0, 1);
  schedule.Start(1, 42, 2, 0);
  const NullSchedule::Turn first = *schedule.Take(0), last = *schedule.Take(1);
  EXPECT_EQ(first.generation, 42u);
  EXPECT_EQ(last.generation, 42u);
  EXPECT_EQ(first.left, 2u);
  EXPECT_EQ(last.left, 1u);
}

TEST(NullSchedule, DueNamesTheTimeOfEachEvent) {
  const NullSchedule schedule(100, 20);
  EXPECT_EQ(schedule.Due(1000, 0), 1100);
  EXPECT_EQ(schedule.Due(1000, 5), 1200);
}

}  // namespace
}  // namespace tidemark
