#include "common/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace tidemark {
namespace {

using ::testing::HasSubstr;

Json Parsed(absl::string_view text) {
  absl::StatusOr<Json> json = ParseJson(text, "test.json");
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? *json : Json();
}

std::string ErrorOf(absl::string_view text) {
  const absl::StatusOr<Json> json = ParseJson(text, "test.json");
  EXPECT_FALSE(json.ok()) << text;
  return std::string(json.status().message());
}

TEST(Json, KeepsTheOrderOfMembers) {
  EXPECT_EQ(Parsed(R"({"z": 1, "a": [true, null, "x"]})").Dump(), R"({"z":1,"a":[true,null,"x"]})");
}

TEST(Json, SetReplacesInPlace) {
  Json json = Json::Object({{"a", 1}, {"b", 2}});
  json.Set("a", "one").Set("c", 3.5);
  EXPECT_EQ(json.Dump(), R"({"a":"one","b":2,"c":3.5})");
}

TEST(Json, KeepsIntegersOf64Bits) {
  EXPECT_EQ(Parsed("18446744073709551615").AsUint64(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Parsed("-9223372036854775808").AsInt64(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Json(std::numeric_limits<uint64_t>::max()).Dump(), "18446744073709551615");
}

TEST(Json, EqualIntegersAreEqualWhateverTheirType) {
  EXPECT_EQ(Json(5u), Json(int8_t{5}));
  EXPECT_EQ(Json(uint64_t{5}), Parsed("5"));
}

TEST(Json, RefusesNumbersOutOfTheAskedRange) {
  EXPECT_EQ(Json(-1).AsUint64(), std::nullopt);
  EXPECT_EQ(Json(std::numeric_limits<uint64_t>::max()).AsInt64(), std::nullopt);
  EXPECT_EQ(Json(0.5).AsInt64(), std::nullopt);
  EXPECT_EQ(Json(1e300).AsInt64(), std::nullopt);
  EXPECT_EQ(Json("1").AsInt64(), std::nullopt);
  EXPECT_EQ(Json(3.0).AsInt64(), 3);
}

TEST(Json, DoublesReadBackExactly) {
  for (const double number : {0.1, 1.0 / 3, 1e-300, 123456789.123456789, -2.5}) {
    EXPECT_EQ(Parsed(Json(number).Dump()).AsDouble(), number);
  }
}

TEST(Json, WritesNumbersThatAreNoneAsNull) {
  EXPECT_EQ(Json(std::nan("")).Dump(), "null");
  EXPECT_EQ(Json::Array({HUGE_VAL, -HUGE_VAL}).Dump(), "[null,null]");
}

TEST(Json, ReplacesBytesThatAreNoText) { EXPECT_EQ(Json("a\xff").Dump(), "\"a\xef\xbf\xbd\""); }

TEST(Json, EscapesControlCharacters) { EXPECT_EQ(QuoteJson("a\"\n\x1b"), R"("a\"\n\u001b")"); }

TEST(Json, IndentsOneMemberALine) {
  EXPECT_EQ(Json::Object({{"a", Json::Array({1, 2})}, {"b", Json::Object()}}).Dump(2),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

TEST(Json, ReadableKeepsPlainRowsOnOneLine) {
  const Json json = Json::Object({{"a", Json::Array({1, 2})}, {"b", Json::Object({{"c", 1}})}});
  EXPECT_EQ(json.DumpReadable(), "{\n  \"a\": [1, 2],\n  \"b\": {\"c\": 1}\n}");
}

TEST(Json, SaysLineAndColumnOfAFault) {
  EXPECT_THAT(ErrorOf("{\n  \"a\": 1,\n  \"b\" 2\n}"), HasSubstr("test.json: line 3, column 7: "));
  EXPECT_THAT(ErrorOf(""), HasSubstr("test.json: line 1, column 1: "));
}

TEST(Json, RefusesAMemberNamedTwice) {
  EXPECT_THAT(ErrorOf(R"({"a": 1, "a": 2})"), HasSubstr("member \"a\" is there twice"));
}

TEST(Json, RefusesTextAfterTheDocument) { ErrorOf("{} {}"); }

TEST(Json, RefusesDeepNesting) {
  EXPECT_TRUE(ParseJson(std::string(200, '[') + std::string(200, ']'), "x").ok());
  EXPECT_THAT(ErrorOf(std::string(100'000, '[')), HasSubstr("nested over 200 deep"));
}

TEST(Json, OtherKindsHaveNoItemsAndNoMembers) {
  const Json number(1);
  EXPECT_TRUE(number.Items().empty());
  EXPECT_TRUE(number.Members().empty());
  EXPECT_EQ(number.Find("a"), nullptr);
}

}  // namespace
}  // namespace tidemark
