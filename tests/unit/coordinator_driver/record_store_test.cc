#include "coordinator/driver/record_store.h"

#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/mutex.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kWait = 100'000'000;  // ns

class RecordStoreTest : public testing::Test {
 protected:
  RecordStoreTest()
      : dir_(absl::StrCat(testing::TempDir(), "record_store_", getpid(), "_",
                          testing::UnitTest::GetInstance()->current_test_info()->name())),
        store_(dir_) {
    fs::remove_all(dir_);
    store_.Expect(key_, "a", 100);
    store_.Expect(key_, "b", 100);
  }
  ~RecordStoreTest() override { fs::remove_all(dir_); }

  absl::StatusOr<uint64_t> Append(const std::string& agent, uint64_t offset, const std::string& data,
                                  bool last = false) {
    v1::RecordChunk chunk;
    *chunk.mutable_key() = EncodeKey(key_);
    chunk.set_agent_id(agent);
    chunk.set_offset(offset);
    chunk.set_data(data);
    chunk.set_last(last);
    if (absl::Status s = store_.Admit(chunk); !s.ok()) return s;
    return store_.Append(chunk);
  }

  static std::string Read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string Artifact() const { return absl::StrCat(dir_, "/concurrency_4/profile_export.jsonl"); }
  // The one part file there is.
  std::string PartFile() const {
    for (const auto& entry : fs::directory_iterator(dir_)) return entry.path();
    return "";
  }

  const std::string dir_;
  LevelKey key_{"job", 3, 1};
  RecordStore store_;
};

TEST_F(RecordStoreTest, MakesTheJobsFolderForTheFirstRecords) {
  EXPECT_TRUE(Append("a", 0, "one\n").ok());
  EXPECT_TRUE(fs::is_directory(dir_));
}

TEST_F(RecordStoreTest, AChunkThatWasSeenIsDropped) {
  ASSERT_EQ(*Append("a", 0, "one\n"), 4u);
  ASSERT_EQ(*Append("a", 0, "one\ntwo\n"), 8u);  // overlaps
  ASSERT_EQ(*Append("a", 0, "one\n"), 8u);
  ASSERT_TRUE(store_.Assemble(4).ok());
  EXPECT_EQ(Read(Artifact()), "one\ntwo\n");
}

TEST_F(RecordStoreTest, AGapIsOutOfRange) {
  ASSERT_TRUE(Append("a", 0, "one\n").ok());
  EXPECT_TRUE(absl::IsOutOfRange(Append("a", 5, "two\n").status()));
}

TEST_F(RecordStoreTest, TakesNoMoreThanWasAnnounced) {
  ASSERT_TRUE(Append("a", 0, absl::StrCat(std::string(99, 'x'), "\n")).ok());
  const absl::Status refused = Append("a", 100, "more\n").status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_EQ(refused.message(), "it sends more than the 100 bytes of records that are taken of it");
  EXPECT_EQ(*store_.Assemble(4), 1u);
}

TEST_F(RecordStoreTest, TellsHowManyRecordsTheArtifactHas) {
  ASSERT_TRUE(Append("a", 0, "one\ntwo\n").ok());
  ASSERT_TRUE(Append("b", 0, "three\n").ok());
  EXPECT_EQ(*store_.Assemble(4), 3u);
  EXPECT_EQ(*store_.Assemble(8), 0u);
}

TEST_F(RecordStoreTest, OfOneAgentTwoChunksMayWaitForTheDisk) {
  v1::RecordChunk chunk;
  *chunk.mutable_key() = EncodeKey(key_);
  chunk.set_agent_id("a");
  EXPECT_TRUE(store_.Admit(chunk).ok());
  EXPECT_TRUE(store_.Admit(chunk).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(store_.Admit(chunk)));
  chunk.set_agent_id("b");
  EXPECT_TRUE(store_.Admit(chunk).ok());
}

// A pipe that nobody reads is a disk that does not answer.
TEST_F(RecordStoreTest, WhileTheDiskIsWaitedForOthersAreAnswered) {
  fs::create_directories(dir_);
  const std::string pipe = absl::StrCat(dir_, "/.records-3-1-0");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread disk([this] { (void)Append("a", 0, "one\n"); });
  Mutex mutex;
  CondVar changed;
  bool answered = false;
  std::thread others([&] {
    v1::RecordChunk chunk;
    *chunk.mutable_key() = EncodeKey(key_);
    chunk.set_agent_id("b");
    const bool admitted = store_.Admit(chunk).ok() && !store_.IsComplete("b");
    MutexLock lock(mutex);
    answered = admitted;
    changed.NotifyAll();
  });
  {
    MutexLock lock(mutex);
    for (int waits = 0; waits < 50 && !answered; ++waits) changed.WaitFor(mutex, kWait);
    EXPECT_TRUE(answered);
  }
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // and the disk answers
  disk.join();
  others.join();
  close(reader);
}

TEST_F(RecordStoreTest, AnIdMayBeLongerThanAFilesName) {
  const std::string id(200, '/');
  store_.Expect(key_, id, 100);
  ASSERT_TRUE(Append(id, 0, "one\n", true).ok());
  ASSERT_TRUE(store_.Assemble(4).ok());
  EXPECT_EQ(Read(Artifact()), "one\n");
}

TEST_F(RecordStoreTest, PartsOfALevelThatNeverEndedAreRemoved) {
  {
    RecordStore store(dir_);
    store.Expect(key_, "a", 100);
    v1::RecordChunk chunk;
    *chunk.mutable_key() = EncodeKey(key_);
    chunk.set_agent_id("a");
    chunk.set_data("one\n");
    ASSERT_TRUE(store.Append(chunk).ok());
    EXPECT_NE(PartFile(), "");
  }
  EXPECT_EQ(PartFile(), "");
}

TEST_F(RecordStoreTest, WhatACrashLeftBehindIsRemovedAndNothingElse) {
  fs::create_directories(dir_);
  std::ofstream(dir_ + "/.records-0-1-0") << "one\n";
  std::ofstream(dir_ + "/result.json") << "{}";
  RecordStore::RemoveStrayParts(dir_);
  EXPECT_EQ(PartFile(), dir_ + "/result.json");
}

TEST_F(RecordStoreTest, RecordsOfAnotherLevelAreRefused) {
  key_.attempt = 2;
  EXPECT_TRUE(absl::IsFailedPrecondition(Append("a", 0, "one\n").status()));
}

TEST_F(RecordStoreTest, RecordsOfAnUnknownAgentAreRefused) {
  EXPECT_TRUE(absl::IsFailedPrecondition(Append("c", 0, "one\n").status()));
}

TEST_F(RecordStoreTest, APartIsCompleteWithItsLastChunk) {
  ASSERT_TRUE(Append("a", 0, "one\n").ok());
  EXPECT_FALSE(store_.IsComplete("a"));
  ASSERT_TRUE(Append("a", 4, "", true).ok());
  EXPECT_TRUE(store_.IsComplete("a"));
}

TEST_F(RecordStoreTest, AStalePartFileIsNotKept) {
  ASSERT_TRUE(Append("a", 0, "left behind by an earlier run\n").ok());
  RecordStore later(dir_);
  later.Expect(key_, "a", 100);
  v1::RecordChunk chunk;
  *chunk.mutable_key() = EncodeKey(key_);
  chunk.set_agent_id("a");
  chunk.set_data("one\n");
  ASSERT_TRUE(later.Append(chunk).ok());
  ASSERT_TRUE(later.Assemble(4).ok());
  EXPECT_EQ(Read(Artifact()), "one\n");
}

TEST_F(RecordStoreTest, TwoAgentsPartsAreJoinedInTheOrderOfTheirIds) {
  ASSERT_TRUE(Append("b", 0, "of b\n", true).ok());
  ASSERT_TRUE(Append("a", 0, "of a\n", true).ok());
  ASSERT_TRUE(store_.Assemble(4).ok());
  EXPECT_EQ(Read(Artifact()), "of a\nof b\n");
  EXPECT_EQ(PartFile(), absl::StrCat(dir_, "/concurrency_4"));  // no part is left
}

TEST_F(RecordStoreTest, OneAgentsPartIsRenamedNotCopied) {
  ASSERT_TRUE(Append("b", 0, "of b\n", true).ok());
  struct stat before, after;
  ASSERT_EQ(stat(PartFile().c_str(), &before), 0);
  ASSERT_TRUE(store_.Assemble(4).ok());
  ASSERT_EQ(stat(Artifact().c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(RecordStoreTest, WithoutRecordsThereIsNoFile) {
  ASSERT_TRUE(store_.Assemble(4).ok());
  EXPECT_FALSE(fs::exists(Artifact()));
}

}  // namespace
}  // namespace tidemark
