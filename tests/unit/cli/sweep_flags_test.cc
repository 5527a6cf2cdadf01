#include "cli/sweep_flags.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

Settings Parsed(const std::vector<std::string>& arguments) {
  const auto flags = ParseSweepFlags(arguments);
  EXPECT_TRUE(flags.ok()) << flags.status();
  return flags.ok() ? flags->settings : Settings();
}

std::string Problem(const std::vector<std::string>& arguments) {
  const auto flags = ParseSweepFlags(arguments);
  return flags.ok() ? "" : std::string(flags.status().message());
}

TEST(SweepFlags, ReadValuesInBothForms) {
  const Settings settings = Parsed({"--isl", "5", "--osl=6", "--concurrency", "1,8"});
  EXPECT_THAT(settings.at("prompt_input_tokens_mean").values, ElementsAre("5"));
  EXPECT_EQ(settings.at("prompt_input_tokens_mean").shown_name, "--isl");
  EXPECT_THAT(settings.at("output_tokens_mean").values, ElementsAre("6"));
}

TEST(SweepFlags, KnowPeersNames) {
  const Settings settings = Parsed({"-u", "http://h", "-m", "x", "-H", "A: b", "--endpoint-type", "chat",
                                    "--num-prompts", "5", "--seed", "1", "--insecure-skip-verify"});
  EXPECT_EQ(settings.size(), 7u);
  EXPECT_THAT(settings.at("header").pairs, ElementsAre(Pair("A", "b")));
  EXPECT_THAT(settings.at("insecure").values, ElementsAre("true"));
}

TEST(SweepFlags, RepeatWhereThatHasAMeaning) {
  EXPECT_THAT(Parsed({"--url", "a", "--url", "b"}).at("url").values, ElementsAre("a", "b"));
  EXPECT_THAT(Problem({"--isl", "5", "--isl", "6"}), HasSubstr("give it once"));
  EXPECT_THAT(Problem({"--isl", "5", "--prompt-input-tokens-mean", "6"}), HasSubstr("is the same as"));
}

TEST(SweepFlags, TakeASwitchAloneOrWithAValue) {
  EXPECT_THAT(Parsed({"--dry-run", "--json"}).at("dry_run").values, ElementsAre("true"));
  EXPECT_THAT(Parsed({"--streaming", "false"}).at("streaming").values, ElementsAre("false"));
  EXPECT_THAT(Parsed({"--streaming=false"}).at("streaming").values, ElementsAre("false"));
}

TEST(SweepFlags, TakeUnderscoresToo) {
  EXPECT_THAT(Parsed({"--request_count=5"}).at("request_count").values, ElementsAre("5"));
}

TEST(SweepFlags, KeepNegativeNumbersAsValues) {
  EXPECT_THAT(Parsed({"--request-count", "-5"}).at("request_count").values, ElementsAre("-5"));
}

TEST(SweepFlags, SuggestTheNearestForAnUnknownOne) {
  EXPECT_EQ(Problem({"--reqest-count", "5"}),
            "unknown flag --reqest-count: did you mean \"--request-count\"?");
  EXPECT_EQ(Problem({"--zzzzzz=sesame"}), "unknown flag --zzzzzz");
}

TEST(SweepFlags, SayWhenAValueIsMissing) { EXPECT_EQ(Problem({"--url"}), "--url wants a value after it"); }

TEST(SweepFlags, RefuseWordsThatAreNoFlags) {
  EXPECT_THAT(Problem({"http://h"}), HasSubstr("unexpected argument \"http://h\""));
}

TEST(SweepFlags, SeeHelpAmongOthers) {
  EXPECT_TRUE(ParseSweepFlags({"--isl", "5", "--help"})->help);
  EXPECT_TRUE(ParseSweepFlags({"-h"})->help);
}

TEST(WithoutSecretArguments, GivesTheKeyAsAVariable) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--api-key", "sesame", "--isl", "5"}, {"--api_key=sesame", "--isl", "5"}}) {
    EXPECT_THAT(WithoutSecretArguments(arguments, "K"), ElementsAre("--api-key-env", "K", "--isl", "5"));
  }
}

TEST(WithoutSecretArguments, KeepsHeadersThatAreNoSecret) {
  EXPECT_THAT(WithoutSecretArguments({"-H", "X-Team: a", "--header=Authorization: sesame", "-Hapi-key: sesame"}, "K"),
              ElementsAre("-H", "X-Team: a", "--header", "Authorization: <not shown>", "-H",
                          "api-key: <not shown>"));
}

TEST(WithoutSecretArguments, RedactsUrls) {
  EXPECT_THAT(WithoutSecretArguments({"--url", "http://h?key=sesame", "-u", "h?sig=sesame", "--url=h?v=1&token=sesame",
                                      "-uh?code=sesame"},
                                     "K"),
              ElementsAre("--url", "http://h?key=<not shown>", "-u", "h?sig=<not shown>", "--url",
                          "h?v=1&token=<not shown>", "-u", "h?code=<not shown>"));
}

TEST(ScrubArguments, OverwritesTheKeyInPlace) {
  char program[] = "tidemark";
  char flag[] = "--api-key";
  char key[] = "sesame";
  char joined[] = "--api-key=sesame";
  char* argv[] = {program, flag, key, joined, nullptr};
  ScrubArguments(4, argv);
  EXPECT_STREQ(key, "xxxxxx");
  EXPECT_STREQ(joined, "--api-key=xxxxxx");
}

}  // namespace
}  // namespace tidemark
