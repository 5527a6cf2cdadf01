// A disk without room: the write is refused, and nothing that was there is harmed.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "tests/integration/coordinator_store/store_fixture.h"
#include "tests/support/small_disk.h"

namespace tidemark::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kDeadlineMs = 60'000;

// "kept 17 found 17": how many appends were acknowledged, and how many entries a reader found.
std::pair<int, int> Counts(const ProcessEnd& end) {
  int kept = -1, found = -2;
  sscanf(end.out.c_str() + std::min(end.out.find("kept"), end.out.size()), "kept %d found %d", &kept, &found);
  return {kept, found};
}

// The bound on a file's size stands for a quota: the kernel refuses the write as it does on a full disk.
TEST_F(StoreTest, FileThatMayNotGrowIsAFullDisk) {
  const ProcessEnd end = RunToEnd(WorkerOptions({"fill", dir(), "300000"}), kDeadlineMs);
  ASSERT_EQ(end.code, 0) << end.out << end.err;
  EXPECT_THAT(end.out, AllOf(HasSubstr("refused: RESOURCE_EXHAUSTED: the disk is full"), HasSubstr(file())));
}

TEST_F(StoreTest, ARefusedWriteLeavesWhatWasThere) {
  const ProcessEnd end = RunToEnd(WorkerOptions({"fill", dir(), "300000"}), kDeadlineMs);
  const auto [kept, found] = Counts(end);
  EXPECT_GT(kept, 0) << end.out << end.err;
  EXPECT_EQ(found, kept) << end.out;
}

TEST_F(StoreTest, TakesWritesAgainOnceThereIsRoom) {
  const ProcessEnd end = RunToEnd(WorkerOptions({"fill", dir(), "300000"}), kDeadlineMs);
  EXPECT_THAT(end.out, HasSubstr("again: OK")) << end.err;
  Open();
  EXPECT_EQ(JournalTexts(*store_, "a").size(), static_cast<size_t>(Counts(end).first) + 1);
}

TEST_F(StoreTest, AResultWithoutRoomLeavesTheJobsStateAsItWas) {
  const ProcessEnd end = RunToEnd(WorkerOptions({"finish-big", dir(), "300000"}), kDeadlineMs);
  EXPECT_EQ(end.out, "refused: RESOURCE_EXHAUSTED\njob: before\nresult: NOT_FOUND\n") << end.err;
}

class StoreOnSmallDisk : public StoreTest {
 protected:
  void SetUp() override {
    if (!disk_.mounted()) GTEST_SKIP() << "needs the right to mount; FileThatMayNotGrowIsAFullDisk does not";
  }
  std::string data() const { return disk_.path() + "/data"; }
  ProcessEnd Fill() const { return RunToEnd(WorkerOptions({"fill", data()}), kDeadlineMs); }

  SmallDisk disk_{folder_.path(), "size=512k"};
};

TEST_F(StoreOnSmallDisk, SaysThatTheDiskIsFull) {
  const ProcessEnd end = Fill();
  ASSERT_EQ(end.code, 0) << end.out << end.err;
  EXPECT_THAT(end.out, AllOf(HasSubstr("refused: RESOURCE_EXHAUSTED: the disk is full"),
                             HasSubstr(data() + "/tidemark.db")));
}

TEST_F(StoreOnSmallDisk, KeepsWhatWasAcknowledged) {
  const ProcessEnd end = Fill();
  const auto [kept, found] = Counts(end);
  EXPECT_GT(kept, 0) << end.out << end.err;
  EXPECT_EQ(found, kept);
  ASSERT_TRUE(disk_.Resize("size=4m"));
  const std::unique_ptr<JobStore> store = MustOpen(data());
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(JournalTexts(*store, "a").size(), static_cast<size_t>(kept));
}

TEST_F(StoreOnSmallDisk, SaysSoWhenThereIsNoRoomForAStore) {
  ASSERT_TRUE(disk_.Resize("size=8k"));
  const absl::Status status = JobStore::Open(data()).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
}

}  // namespace
}  // namespace tidemark::testing
