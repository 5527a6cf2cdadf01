#include "agent/engine/record_json.h"

#include <clocale>

#include "agent/engine/record_spool.h"

namespace tidemark {
namespace {

RequestRecord Record() {
  RequestRecord record;
  record.index = 7;
  record.sent = 1'000'000'000;
  record.first_byte = record.first_event = record.first_token = record.first_output_token =
      1'010'500'000;
  record.second_token = record.last_token = record.ended = 1'020'000'000;
  record.token_events = record.token_reads = 2;
  record.chunk_gaps_us = {9'500};
  record.usage_completion_tokens = 2;
  record.outcome = Outcome::kOk;
  record.status = 200;
  return record;
}

std::string Line(const RequestRecord& record) {
  std::string line;
  AppendRecordJson(record, {"n-0-1", "worker_0", 500}, &line);
  return line;
}

testing::AssertionResult Has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << part << " in " << text;
}

TEST(RecordJson, ShowsMillisecondsToTheMicrosecond) {
  const std::string line = Line(Record());
  EXPECT_TRUE(Has(line, "\"time_to_first_token\":{\"value\":10.5,\"unit\":\"ms\"}"));
  EXPECT_TRUE(Has(line, "\"request_latency\":{\"value\":20,\"unit\":\"ms\"}"));
  EXPECT_TRUE(Has(line, "\"inter_chunk_latency\":{\"value\":[9.5],\"unit\":\"ms\"}"));
}

TEST(RecordJson, TimesAreWallClock) {
  EXPECT_TRUE(Has(Line(Record()), "\"request_start_ns\":1000000500,"));
  EXPECT_TRUE(Has(Line(Record()), "\"request_end_ns\":1020000500,"));
}

TEST(RecordJson, ASuccessHasNoError) { EXPECT_TRUE(Has(Line(Record()), "\"error\":null}\n")); }

TEST(RecordJson, AFailureHasItsClassAndNoLatency) {
  RequestRecord record = Record();
  record.outcome = Outcome::kFailed;
  record.failure = FailureClass::kHttpStatus;
  record.status = 429;
  record.excerpt = "a \"quota\"\n";
  const std::string line = Line(record);
  EXPECT_TRUE(Has(
      line, "\"error\":{\"code\":429,\"type\":\"http_429\",\"message\":\"a \\\"quota\\\"\\n\"}"));
  EXPECT_FALSE(Has(line, "request_latency"));
}

TEST(RecordJson, ACancelledRequestIsMarked) {
  RequestRecord record = Record();
  record.outcome = Outcome::kCancelled;
  EXPECT_TRUE(Has(Line(record), "\"was_cancelled\":true"));
}

TEST(RecordJson, TheLocaleDoesNotShow) {
  const std::string before = Line(Record());
  if (setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no German locale here";
  const std::string german = Line(Record());
  setlocale(LC_ALL, "C");
  EXPECT_EQ(german, before);
}

class RecordSpoolTest : public ::testing::Test {
 protected:
  RecordSpool::Counts Spool(SpoolOptions options, int records) {
    options.path = testing::TempDir() + "record_spool_test.jsonl";
    auto spool = RecordSpool::Open(options);
    EXPECT_TRUE(spool.ok());
    RequestRecord record = Record();
    for (int i = 0; i < records; ++i) {
      record.index = i;
      (*spool)->Write(record);
    }
    return (*spool)->Close();
  }
};

TEST_F(RecordSpoolTest, WritesAll) {
  const RecordSpool::Counts counts = Spool({"", 1 << 30, 1, 1'000, {}}, 100);
  EXPECT_EQ(counts.written, 100u);
  EXPECT_EQ(counts.lost, 0u);
}

TEST_F(RecordSpoolTest, WhatGoesBeyondTheDiskBoundIsCountedAsLost) {
  const RecordSpool::Counts counts = Spool({"", 3'000, 1, 1'000, {}}, 100);
  EXPECT_GT(counts.written, 0u);
  EXPECT_EQ(counts.written + counts.lost, 100u);
  EXPECT_LE(counts.bytes, 3'000u);
}

TEST_F(RecordSpoolTest, KeepsAboutOneInK) {
  const RecordSpool::Counts counts = Spool({"", 1 << 30, 10, 10'000, {}}, 2'000);
  EXPECT_NEAR(counts.written, 200, 50);
  EXPECT_EQ(counts.lost, 0u);
}

TEST_F(RecordSpoolTest, AFolderThatIsNotThereIsRefusedByName) {
  SpoolOptions options;
  options.path = "/nonexistent/x.jsonl";
  const absl::Status status = RecordSpool::Open(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Has(std::string(status.message()), "/nonexistent/x.jsonl"));
}

}  // namespace
}  // namespace tidemark
