#include "agent/endpoint/json_text.h"

#include "gtest/gtest.h"

namespace tidemark {
namespace {

std::string Escaped(absl::string_view text) {
  std::string out;
  AppendJsonEscaped(text, &out);
  return out;
}

std::string Valid(absl::string_view text, size_t limit) {
  std::string out = "kept ";
  AppendValidUtf8(text, limit, &out);
  return out.substr(5);
}

TEST(JsonText, EscapesWhatJsonForbids) {
  EXPECT_EQ(Escaped("say \"a\\b\"\n\r\t\x01\x1f/"), R"(say \"a\\b\"\n\r\t\u0001\u001f/)");
  EXPECT_EQ(Escaped(absl::string_view("\0x", 2)), "\\u0000x");
}

TEST(JsonText, KeepsUtf8OfEveryLength) {
  const std::string text = "a\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF";
  EXPECT_EQ(Escaped(text), text);
}

TEST(JsonText, ReplacesBytesThatAreNoUtf8) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(Escaped("\x80""a"), bad + "a");             // a continuation alone
  EXPECT_EQ(Escaped("\xC0\xAF"), bad + bad);            // overlong
  EXPECT_EQ(Escaped("\xED\xA0\x80"), bad + bad + bad);  // a surrogate
  EXPECT_EQ(Escaped("\xF4\x90\x80\x80"), bad + bad + bad + bad);  // above U+10FFFF
  EXPECT_EQ(Escaped("a\xE2\x82"), "a" + bad + bad);     // cut
}

TEST(JsonText, CutsAtAWholeCharacter) {
  EXPECT_EQ(Valid("ab\xC3\xA9", 3), "ab");
  EXPECT_EQ(Valid("ab\xC3\xA9", 4), "ab\xC3\xA9");
  EXPECT_EQ(Valid("abc", 2), "ab");
}

TEST(JsonText, CountsReplacementsAgainstTheLimit) {
  EXPECT_EQ(Valid("\xFF\xFF", 5), "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace tidemark
