#include "coordinator/rpc/update_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace tidemark {
namespace {

using ::testing::ElementsAre;

v1::JobUpdate Note(const std::string& text) {
  v1::JobUpdate update;
  update.mutable_note()->set_text(text);
  return update;
}

v1::JobUpdate Progress(uint64_t done) {
  v1::JobUpdate update;
  update.mutable_progress()->set_done(done);
  return update;
}

std::vector<std::string> Drained(UpdateQueue& queue) {
  std::vector<std::string> texts;
  while (!queue.empty()) {
    const v1::JobUpdate update = queue.Pop();
    texts.push_back(update.has_note() ? update.note().text() : std::to_string(update.progress().done()));
  }
  return texts;
}

TEST(UpdateQueue, KeepsTheOrder) {
  UpdateQueue queue(std::make_shared<UpdateBudget>());
  ASSERT_TRUE(queue.Push(Note("a")));
  ASSERT_TRUE(queue.Push(Progress(1)));
  ASSERT_TRUE(queue.Push(Note("b")));
  EXPECT_THAT(Drained(queue), ElementsAre("a", "1", "b"));
}

TEST(UpdateQueue, OnlyTheLatestProgressWaits) {
  UpdateQueue queue(std::make_shared<UpdateBudget>());
  for (uint64_t done = 1; done <= 10'000; ++done) ASSERT_TRUE(queue.Push(Progress(done)));
  EXPECT_THAT(Drained(queue), ElementsAre("10000"));
}

TEST(UpdateQueue, TheLatestProgressComesAfterWhatWasBeforeIt) {
  UpdateQueue queue(std::make_shared<UpdateBudget>());
  ASSERT_TRUE(queue.Push(Progress(1)));
  ASSERT_TRUE(queue.Push(Note("a")));
  ASSERT_TRUE(queue.Push(Progress(2)));
  EXPECT_THAT(Drained(queue), ElementsAre("a", "2"));
}

TEST(UpdateQueue, ProgressThatWasTakenIsNotDroppedAgain) {
  UpdateQueue queue(std::make_shared<UpdateBudget>());
  ASSERT_TRUE(queue.Push(Progress(1)));
  queue.Pop();
  ASSERT_TRUE(queue.Push(Note("a")));
  ASSERT_TRUE(queue.Push(Progress(2)));
  EXPECT_THAT(Drained(queue), ElementsAre("a", "2"));
}

TEST(UpdateQueue, IsFullAtItsNumberOfUpdates) {
  UpdateQueue queue(std::make_shared<UpdateBudget>());
  for (size_t i = 0; i < UpdateQueue::kMostUpdates; ++i) ASSERT_TRUE(queue.Push(Note("a")));
  EXPECT_FALSE(queue.Push(Note("b")));
}

TEST(UpdateQueue, IsFullAtItsNumberOfBytes) {
  UpdateQueue queue(std::make_shared<UpdateBudget>());
  const v1::JobUpdate large = Note(std::string(UpdateQueue::kMostBytes / 4, 'a'));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.Push(large));
  EXPECT_FALSE(queue.Push(large));
  queue.Pop();
  EXPECT_TRUE(queue.Push(large));
}

TEST(UpdateQueue, IsUsableAfterClear) {
  UpdateQueue queue(std::make_shared<UpdateBudget>());
  ASSERT_TRUE(queue.Push(Progress(1)));
  queue.Clear();
  ASSERT_TRUE(queue.Push(Progress(2)));
  EXPECT_THAT(Drained(queue), ElementsAre("2"));
}

TEST(UpdateQueue, AllQueuesTogetherHaveABound) {
  const auto budget = std::make_shared<UpdateBudget>(5'000);
  UpdateQueue one(budget);
  {
    UpdateQueue two(budget);
    ASSERT_TRUE(one.Push(Note(std::string(2'000, 'x'))));
    ASSERT_TRUE(two.Push(Note(std::string(2'000, 'x'))));
    EXPECT_FALSE(one.Push(Note(std::string(2'000, 'x'))));
  }
  EXPECT_TRUE(one.Push(Note(std::string(2'000, 'x')))) << "what waited for the other is forgotten with it";
  one.Pop();
  EXPECT_TRUE(one.Push(Note(std::string(2'000, 'x'))));
}

}  // namespace
}  // namespace tidemark
