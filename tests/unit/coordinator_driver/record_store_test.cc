#include "coordinator/driver/record_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

class RecordStoreTest : public testing::Test {
 protected:
  RecordStoreTest()
      : dir_(absl::StrCat(testing::TempDir(), "record_store_", getpid(), "_",
                          testing::UnitTest::GetInstance()->current_test_info()->name())),
        store_(dir_) {
    fs::remove_all(dir_);
    store_.Expect(key_, {"a", "b"});
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

TEST_F(RecordStoreTest, RecordsOfAnotherLevelAreRefused) {
  key_.attempt = 2;
  EXPECT_TRUE(absl::IsFailedPrecondition(Append("a", 0, "one\n").status()));
}

TEST_F(RecordStoreTest, RecordsOfAnUnknownAgentAreRefused) {
  EXPECT_TRUE(absl::IsFailedPrecondition(Append("c", 0, "one\n").status()));
}

TEST_F(RecordStoreTest, APartIsCompleteWithItsLastChunk) {
  ASSERT_TRUE(Append("a", 0, "one\n").ok());
  EXPECT_FALSE(store_.PartOf("a").second);
  ASSERT_TRUE(Append("a", 4, "", true).ok());
  EXPECT_EQ(store_.PartOf("a"), std::pair(uint64_t{4}, true));
}

TEST_F(RecordStoreTest, AStalePartFileIsNotKept) {
  ASSERT_TRUE(Append("a", 0, "left behind by an earlier run\n").ok());
  RecordStore later(dir_);
  later.Expect(key_, {"a"});
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
