#include "coordinator/report/result_json.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/json/json.h"
#include "tests/golden/report/sample_result.h"

namespace tidemark {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;

std::string ErrorOf(absl::string_view text) {
  const absl::StatusOr<v1::Result> result = ReadResultJson(text);
  EXPECT_FALSE(result.ok());
  return std::string(result.status().message());
}

TEST(ResultJson, ReadsBackTheSame) {
  for (const v1::Result& result : {SampleSweep(), SampleSearch(), SampleSweepWithoutSlas()}) {
    const absl::StatusOr<v1::Result> read = ReadResultJson(ResultJson(result));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(MessageDifferencer::Equals(result, *read));
  }
}

TEST(ResultJson, DoublesReadBackExactly) {
  v1::Result result = SampleSweep();
  for (const double number : {0.1, 1.0 / 3, 1e-12, 6755399441055744.5, HUGE_VAL}) {
    result.mutable_levels(0)->mutable_slas(0)->set_observed(number);
    EXPECT_EQ(ReadResultJson(ResultJson(result))->levels(0).slas(0).observed(), number);
  }
}

TEST(ResultJson, CountsAreNumbersWhileADoubleHoldsThemExactly) {
  v1::Result result = SampleSweep();
  result.set_requests_sent(9007199254740991u);
  EXPECT_THAT(ResultJson(result), HasSubstr("\"requests_sent\": 9007199254740991,"));
  result.set_requests_sent(9007199254740993u);
  const std::string text = ResultJson(result);
  EXPECT_THAT(text, HasSubstr("\"requests_sent\": \"9007199254740993\","));
  EXPECT_EQ(ReadResultJson(text)->requests_sent(), 9007199254740993u);
}

TEST(ResultJson, WritesZerosAndLeavesOutWhatIsAbsent) {
  const Json document = *ParseJson(ResultJson(SampleSweep()), "x");
  const Json& level = document.Find("levels")->Items()[3];
  EXPECT_EQ(level.Find("error_rate")->AsDouble(), 0);
  EXPECT_EQ(level.Find("total_token_throughput"), nullptr);
}

TEST(ResultJson, SortsMaps) {
  v1::Result result = SampleSweep();
  for (const char* key : {"q", "a", "z", "m", "b"}) (*result.mutable_labels())[key] = key;
  const Json document = *ParseJson(ResultJson(result), "x");
  std::string last;
  for (const auto& [key, value] : document.Find("labels")->Members()) {
    EXPECT_LT(last, key);
    last = key;
  }
}

TEST(ResultJson, RefusesAnotherMajorSchema) {
  EXPECT_THAT(ErrorOf(R"({"schema_version": "2.0"})"), HasSubstr("schema_version \"2.0\""));
  EXPECT_THAT(ErrorOf(R"({"schema_version": "10.0"})"), HasSubstr("this build reads 1.x"));
}

TEST(ResultJson, ReadsALaterMinorWithFieldsItDoesNotKnow) {
  const auto read =
      ReadResultJson(R"({"schema_version": "1.9", "name": "x", "novelty": {"a": 1}})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name(), "x");
}

TEST(ResultJson, RefusesWhatIsNoResult) {
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("schema_version is missing"));
  EXPECT_THAT(ErrorOf("{\n\"schema_version\" 1}"), HasSubstr("line 2, column"));
  EXPECT_THAT(ErrorOf(R"({"schema_version": "1.0", "levels": 3})"), HasSubstr("levels"));
}

}  // namespace
}  // namespace tidemark
