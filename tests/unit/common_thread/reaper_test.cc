#include "common/thread/reaper.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>

namespace tidemark {
namespace {

TEST(Reaper, ABlockedJobHoldsUpNoOther) {
  std::promise<void> release;
  std::promise<void> second;
  Reaper reaper;
  reaper.Run([&release] { release.get_future().wait(); });
  reaper.Run([&second] { second.set_value(); });
  second.get_future().wait();  // within the test's time limit
  release.set_value();
}

TEST(Reaper, JoinWaitsForAllJobs) {
  std::atomic<int> done{0};
  Reaper reaper;
  for (int i = 0; i < 5; ++i) reaper.Run([&done] { ++done; });
  reaper.Join();
  EXPECT_EQ(done, 5);
}

TEST(Reaper, WhatAJobHeldGoesWithIt) {
  auto held = std::make_shared<int>(1);
  Reaper reaper;
  reaper.Run([held] {});
  reaper.Join();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace tidemark
