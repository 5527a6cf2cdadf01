#include "coordinator/core/job_spec/job_file.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

std::string Problem(const std::string& text) {
  const auto settings = ParseJobFile(text, "job.yaml");
  return settings.ok() ? "" : std::string(settings.status().message());
}

TEST(JobFile, ReadsTheExampleOfTheReadme) {
  const auto settings = ParseJobFile(
      "endpoint: {url: http://vllm:8000, api: openai-chat, model: llama, headers: {X-Team: a}, "
      "api_key_env: KEY}\n"
      "parameters: {concurrency: [64, 256, 1024], request_count: 500, "
      "prompt_input_tokens_mean: 1024, output_tokens_mean: 256}\n",
      "job.yaml");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->size(), 9u);
  EXPECT_THAT(settings->at("url").values, ElementsAre("http://vllm:8000"));
  EXPECT_THAT(settings->at("header").pairs, ElementsAre(Pair("X-Team", "a")));
  EXPECT_THAT(settings->at("concurrency").values, ElementsAre("64", "256", "1024"));
}

TEST(JobFile, ReadsJsonToo) {
  const auto settings =
      ParseJobFile("{\"endpoint\": {\"url\": \"http://h:1\"},\n\t\"parameters\": {\"isl\": 5}}", "j");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(settings->at("prompt_input_tokens_mean").values, ElementsAre("5"));
}

TEST(JobFile, ReadsKeysAtTheTop) {
  const auto settings = ParseJobFile("url: [http://a:1, http://b:1]\nname: n\nisl: 7\n", "c");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(settings->at("url").values, ElementsAre("http://a:1", "http://b:1"));
}

TEST(JobFile, NamesLineAndColumnOfASyntaxError) {
  EXPECT_THAT(Problem("name: a\nparameters: {concurrency: [1, 2\n"), StartsWith("job.yaml:3:1: "));
}

TEST(JobFile, SuggestsTheNearestKeyForAnUnknownOne) {
  EXPECT_EQ(Problem("parameters:\n  reqest_count: 5\n"),
            "job.yaml:2:3: unknown key \"reqest_count\": did you mean \"request_count\"?");
  EXPECT_EQ(Problem("paramters: {}\n"),
            "job.yaml:1:1: unknown key \"paramters\": did you mean \"parameters\"?");
}

TEST(JobFile, RefusesDuplicateKeysAlsoByAlias) {
  EXPECT_EQ(Problem("isl: 5\nisl: 6\n"), "job.yaml:2:6: isl: given twice: give it once");
  EXPECT_THAT(Problem("parameters: {isl: 5, prompt_input_tokens_mean: 6}"),
              HasSubstr("prompt_input_tokens_mean: is the same as isl"));
  EXPECT_EQ(Problem("endpoint: {}\nendpoint: {}\n"), "job.yaml:2:1: key \"endpoint\" twice");
}

TEST(JobFile, SaysWhereAMisplacedKeyBelongs) {
  EXPECT_EQ(Problem("parameters: {url: http://h}"),
            "job.yaml:1:14: key \"url\" belongs under endpoint:");
  EXPECT_EQ(Problem("endpoint: {isl: 4}"), "job.yaml:1:12: key \"isl\" belongs under parameters:");
  EXPECT_EQ(Problem("endpoint: {name: x}"),
            "job.yaml:1:12: key \"name\" belongs at the top of the file");
}

TEST(JobFile, AllowsTheModelAmongTheParameters) { EXPECT_EQ(Problem("parameters: {model: m}"), ""); }

TEST(JobFile, RefusesAKeyInTheFileWithoutRepeatingIt) {
  const std::string problem = Problem("endpoint: {api_key: sesame}");
  EXPECT_THAT(problem, HasSubstr("api_key may not stand in a file"));
  EXPECT_THAT(problem, Not(HasSubstr("sesame")));
}

TEST(JobFile, RefusesValuesOfTheWrongShape) {
  EXPECT_EQ(Problem("isl: [1, 2]"), "job.yaml:1:6: isl: is a list: want a single value");
  EXPECT_EQ(Problem("isl: {a: 1}"), "job.yaml:1:6: isl: is a map: want a single value");
  EXPECT_EQ(Problem("isl:\n"), "job.yaml:1:1: isl: has no value");
  EXPECT_THAT(Problem("labels: x"), HasSubstr("want a map"));
  EXPECT_THAT(Problem("concurrency: []"), HasSubstr("empty list"));
  EXPECT_THAT(Problem("concurrency: [[1]]"), HasSubstr("want plain values"));
  EXPECT_THAT(Problem("endpoint: http://h"), HasSubstr("endpoint: want a map"));
  EXPECT_THAT(Problem("- a"), HasSubstr("want keys and values"));
  EXPECT_THAT(Problem(""), HasSubstr("empty"));
}

TEST(JobFile, RefusesAliasesThatCouldExpandWithoutEnd) {
  EXPECT_THAT(Problem("extra_inputs:\n  a: &a {x: 1}\n  b: [*a, *a]\n"),
              AllOf(StartsWith("job.yaml:3:"), HasSubstr("an alias")));
}

TEST(JobFile, BoundsDepthNodesAndSize) {
  EXPECT_THAT(Problem("extra_inputs: " + std::string(40, '[') + std::string(40, ']')),
              HasSubstr("nested more than 32 deep"));
  EXPECT_NE(Problem("extra_inputs: " + std::string(100'000, '[')), "");
  std::string many = "extra_inputs: {a: [";
  for (int i = 0; i < 20'000; ++i) many += "1,";
  EXPECT_THAT(Problem(many + "1]}"), HasSubstr("more than 20000 values"));
  EXPECT_THAT(Problem("# " + std::string(kLargestJobFile, 'x')), HasSubstr("1048576"));
}

TEST(JobFile, RefusesASecondDocument) {
  EXPECT_THAT(Problem("name: a\n---\nname: b\n"), HasSubstr("a second document"));
}

TEST(JobFile, SurvivesBytesThatAreNoText) {
  std::string bytes;
  for (int i = 0; i < 512; ++i) bytes += static_cast<char>(i * 37 % 256);
  EXPECT_NE(Problem(bytes), "");
  EXPECT_NE(Problem(std::string("isl: \0 5", 8)), "isl");
}

TEST(JobFile, TurnsExtraInputsIntoJson) {
  const auto settings = ParseJobFile(
      "extra_inputs: {temperature: 0.7, top_k: \"5\", stop: [a, 'b'], on: true, none: null, v: 010}",
      "j");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->at("extra_inputs").object_json,
            R"({"temperature":0.7,"top_k":"5","stop":["a","b"],"on":true,"none":null,"v":"010"})");
}

TEST(JobFile, RefusesADuplicateKeyInsideExtraInputs) {
  EXPECT_THAT(Problem("extra_inputs: {a: 1, a: 2}"), HasSubstr("key \"a\" twice"));
}

TEST(YamlMapToJson, EscapesWhatJsonWantsEscaped) {
  const auto json = YamlMapToJson("{\"a\": \"q\\\"\\n\\t\\u0001é\"}");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(*json, "{\"a\":\"q\\\"\\n\\t\\u0001é\"}");
}

}  // namespace
}  // namespace tidemark
