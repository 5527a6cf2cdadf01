#include "simulator/request_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

CompletionRequest Parsed(CompletionApi api, const char* body) {
  absl::StatusOr<CompletionRequest> request = ParseCompletionRequest(api, body);
  EXPECT_TRUE(request.ok()) << request.status();
  return request.value_or(CompletionRequest());
}

std::string Refused(CompletionApi api, const char* body) {
  return std::string(ParseCompletionRequest(api, body).status().message());
}

TEST(ParseCompletionRequest, CountsWordsOfAllMessages) {
  EXPECT_EQ(Parsed(CompletionApi::kChat,
                   R"({"model":"m","messages":[{"role":"system","content":" a\tb "},
                       {"role":"user","content":[{"type":"text","text":"c d"},{"type":"image"}]}]})")
                .prompt_words,
            4);
}

TEST(ParseCompletionRequest, CountsTokenIdsOfACompletionsPrompt) {
  EXPECT_EQ(Parsed(CompletionApi::kCompletions, R"({"model":"m","prompt":[5,6,7]})").prompt_words,
            3);
}

TEST(ParseCompletionRequest, HasThePlainDefaults) {
  const auto request = Parsed(CompletionApi::kCompletions, R"({"model":"m","prompt":"a"})");
  EXPECT_EQ(request.max_tokens, 128);
  EXPECT_FALSE(request.stream || request.ignore_eos || request.include_usage);
}

TEST(ParseCompletionRequest, PrefersMaxCompletionTokens) {
  EXPECT_EQ(Parsed(CompletionApi::kChat,
                   R"({"model":"m","messages":[{"role":"user","content":"a"}],
                       "max_tokens":5,"max_completion_tokens":9})")
                .max_tokens,
            9);
}

TEST(ParseCompletionRequest, NamesTheFieldThatIsWrong) {
  const struct {
    const char* body;
    const char* field;
  } kCases[] = {
      {R"([])", "no JSON object"},
      {R"({"prompt":"a"})", "'model' is missing"},
      {R"({"model":3,"prompt":"a"})", "'model' is 3"},
      {R"({"model":"m"})", "'prompt' is missing"},
      {R"({"model":"m","prompt":["a","b"]})", "'prompt'"},
      {R"({"model":"m","prompt":"a","max_tokens":0})", "'max_tokens' is 0"},
      {R"({"model":"m","prompt":"a","max_tokens":1.5})", "'max_tokens' is 1.5"},
      {R"({"model":"m","prompt":"a","max_tokens":18446744073709551615})", "'max_tokens'"},
      {R"({"model":"m","prompt":"a","max_tokens":2,"min_tokens":3})", "'min_tokens' is 3"},
      {R"({"model":"m","prompt":"a","n":2})", "'n' is 2"},
      {R"({"model":"m","prompt":"a","stream":"yes"})", "'stream' is \"yes\""},
      {R"({"model":"m","prompt":"a","stream_options":{}})", "'stream_options'"},
  };
  for (const auto& each : kCases) {
    EXPECT_THAT(Refused(CompletionApi::kCompletions, each.body), HasSubstr(each.field));
  }
  EXPECT_THAT(Refused(CompletionApi::kChat, R"({"model":"m","messages":[{"content":"a"}]})"),
              HasSubstr("'messages[0].role'"));
}

std::string RefusedScript(const std::string& steps) {
  return std::string(
      ParseScript(absl::StrCat(R"({"response":{"script":[)", steps, "]}}")).status().message());
}

TEST(ParseScript, ReadsStepsHeadersAndStatus) {
  const auto script = ParseScript(R"({"name":"x","expect":{},"response":{"status":429,
    "headers":{"retry-after":"1"},"script":[{"at_ms":5,"send":"a","repeat_kib":2},
    {"at_ms":6,"send_b64":"AAE="},{"at_ms":7,"reset":true}]}})");
  ASSERT_TRUE(script.ok()) << script.status();
  EXPECT_EQ(script->status, 429);
  EXPECT_EQ(script->headers[0].second, "1");
  EXPECT_EQ(script->steps[0].repeat_kib, 2);
  EXPECT_EQ(script->steps[1].send, std::string("\0\1", 2));
  EXPECT_EQ(script->end, ScriptEnd::kReset);
}

TEST(ParseScript, NamesTheStepAndFieldThatIsWrong) {
  EXPECT_THAT(RefusedScript(R"({"send":"a"})"), HasSubstr("response.script[0].at_ms"));
  EXPECT_THAT(RefusedScript(R"({"at_ms":-1})"), HasSubstr("response.script[0].at_ms' is -1"));
  EXPECT_THAT(RefusedScript(R"({"at_ms":9},{"at_ms":8})"), HasSubstr("script[1].at_ms' is 8"));
  EXPECT_THAT(RefusedScript(R"({"at_ms":1,"send":3})"), HasSubstr("script[0].send' is 3"));
  EXPECT_THAT(RefusedScript(R"({"at_ms":1,"send_b64":"!"})"), HasSubstr("script[0].send_b64"));
  EXPECT_THAT(RefusedScript(R"({"at_ms":1,"sned":"a"})"), HasSubstr("script[0].sned"));
  EXPECT_THAT(RefusedScript(R"({"at_ms":1,"close":true},{"at_ms":2,"send":"a"})"),
              HasSubstr("script[1]"));
}

TEST(ReadScriptFile, NamesTheFile) {
  EXPECT_THAT(std::string(ReadScriptFile("/no/such.json").status().message()),
              HasSubstr("'/no/such.json'"));
}

TEST(JsonQuote, ReplacesBytesThatAreNoText) { EXPECT_EQ(JsonQuote("a\"\xff"), "\"a\\\"\uFFFD\""); }

}  // namespace
}  // namespace tidemark
