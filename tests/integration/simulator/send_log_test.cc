#include "simulator/send_log.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/process.h"

namespace tidemark {
namespace {

using testing::TemporaryFolder;

class SendLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<SendLog> Create() {
    auto log = SendLog::Create(path_, 100, 20);
    EXPECT_TRUE(log.ok()) << log.status();
    return log.ok() ? *std::move(log) : nullptr;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.File("send.log");
};

TEST_F(SendLogTest, WhatWasAddedIsRead) {
  Create()->Add({5, 6, 7, 8, 9});
  const absl::StatusOr<SentEvents> read = ReadSendLog(path_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->header.first_ns, 100);
  EXPECT_EQ(read->header.gap_ns, 20);
  ASSERT_EQ(read->events.size(), 1u);
  const SentEvent& event = read->events[0];
  EXPECT_EQ(event.time_ns, 5);
  EXPECT_EQ(event.connection, 6u);
  EXPECT_EQ(event.request, 7u);
  EXPECT_EQ(event.event, 8);
  EXPECT_EQ(event.detail, 9u);
}

TEST(BodyKey, IsOfTheFirst256Bytes) {
  EXPECT_EQ(BodyKey(""), 2166136261u);
  EXPECT_NE(BodyKey("a"), BodyKey("b"));
  const std::string head(256, 'x');
  EXPECT_EQ(BodyKey(head + "a"), BodyKey(head + "b"));
}

TEST_F(SendLogTest, GrowsOverManyPieces) {
  constexpr uint32_t kEvents = 200'000;
  {
    const std::unique_ptr<SendLog> log = Create();
    for (uint32_t i = 0; i < kEvents; ++i) log->Add({i + 1, i, 0, 0, 0});
    EXPECT_TRUE(log->complete());
  }
  const SentEvents read = *ReadSendLog(path_);
  ASSERT_EQ(read.events.size(), kEvents);
  for (uint32_t i = 0; i < kEvents; ++i) ASSERT_EQ(read.events[i].connection, i);
}

TEST_F(SendLogTest, EndIsCutToWhatWasWritten) {
  Create()->Add({1, 2, 3, 4, 5});
  EXPECT_EQ(std::filesystem::file_size(path_), 48u + 24u);
}

TEST_F(SendLogTest, CanBeReadWhileItIsWritten) {
  const std::unique_ptr<SendLog> log = Create();
  log->Add({1, 2, 3, 4, 5});
  EXPECT_EQ(ReadSendLog(path_)->events.size(), 1u);
}

TEST_F(SendLogTest, AnotherFileIsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(ReadSendLog(folder_.Write("other", "no log at all")).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadSendLog(folder_.File("missing")).status()));
}

TEST_F(SendLogTest, FolderThatDoesNotExistIsRefused) {
  EXPECT_TRUE(absl::IsUnavailable(SendLog::Create(folder_.File("no/such"), 0, 0).status()));
}

}  // namespace
}  // namespace tidemark
