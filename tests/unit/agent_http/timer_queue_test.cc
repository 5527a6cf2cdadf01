#include "agent/http/timer_queue.h"

#include <string>

namespace tidemark {
namespace {

TEST(TimerQueue, RunsDueTasksInTimesOrderAndEqualOnesAsAdded) {
  TimerQueue timers;
  std::string order;
  timers.Add(20, [&] { order += 'c'; });
  timers.Add(10, [&] { order += 'a'; });
  timers.Add(10, [&] { order += 'b'; });
  timers.Add(30, [&] { order += 'd'; });
  timers.RunDue(20);
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(timers.Earliest(), 30);
}

TEST(TimerQueue, ACancelledTaskNeverRunsNorIsWaitedFor) {
  TimerQueue timers;
  bool ran = false;
  const EventLoop::TimerId timer = timers.Add(10, [&] { ran = true; });
  timers.Add(20, [] {});
  timers.Cancel(timer);
  EXPECT_EQ(timers.Earliest(), 20);
  timers.RunDue(10);
  EXPECT_FALSE(ran);
}

TEST(TimerQueue, ATaskMayCancelAnotherThatIsDue) {
  TimerQueue timers;
  bool ran = false;
  EventLoop::TimerId second = 0;
  timers.Add(10, [&] { timers.Cancel(second); });
  second = timers.Add(10, [&] { ran = true; });
  timers.RunDue(10);
  EXPECT_FALSE(ran);
}

TEST(TimerQueue, ATaskThatAddsADueOneDoesNotLoop) {
  TimerQueue timers;
  int runs = 0;
  timers.Add(10, [&] {
    ++runs;
    timers.Add(5, [&] { ++runs; });
  });
  timers.RunDue(10);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(timers.Earliest(), 5);
  timers.RunDue(10);
  EXPECT_EQ(runs, 2);
}

TEST(TimerQueue, CancellingManyKeepsTheOthers) {
  TimerQueue timers;
  int runs = 0;
  for (int i = 0; i < 1000; ++i) {
    const EventLoop::TimerId timer = timers.Add(i, [&] { ++runs; });
    if (i % 10 != 0) timers.Cancel(timer);
  }
  timers.RunDue(1000);
  EXPECT_EQ(runs, 100);
  EXPECT_EQ(timers.Earliest(), TimerQueue::kNever);
}

}  // namespace
}  // namespace tidemark
