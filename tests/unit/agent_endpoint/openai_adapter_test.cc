#include "agent/endpoint/openai_adapter.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<EndpointAdapter> Chat(RequestTemplate request = {}) {
  return *NewEndpointAdapter("openai-chat", std::move(request));
}

std::string Body(const std::string& api, RequestTemplate request, absl::string_view prompt,
                 uint32_t tokens) {
  auto adapter = NewEndpointAdapter(api, std::move(request));
  EXPECT_TRUE(adapter.ok()) << adapter.status();
  std::string body = "old";
  (*adapter)->BuildBody({prompt, tokens}, &body);
  return body;
}

RequestTemplate Template(const std::string& extra = "") {
  RequestTemplate request;
  request.model = "m";
  request.extra_inputs_json = extra;
  return request;
}

ParsedEvent Parse(const std::string& data, const std::string& type = "") {
  ParsedEvent parsed;
  const absl::Status status = Chat()->ParseEvent({type, data}, /*keep_output=*/true, &parsed);
  EXPECT_TRUE(status.ok()) << data << ": " << status;
  return parsed;
}

ParsedEvent Choice(const std::string& members) {
  return Parse(R"({"choices":[{"index":0,)" + members + "}]}");
}

TEST(OpenAiBody, ChatStreamWithAFixedLength) {
  EXPECT_EQ(Body("openai-chat", Template(), "say \"a\"\n", 7),
            R"({"model":"m","messages":[{"role":"user","content":"say \"a\"\n"}],"max_tokens":7,)"
            R"("min_tokens":7,"ignore_eos":true,"stream":true,)"
            R"("stream_options":{"include_usage":true}})");
}

TEST(OpenAiBody, CompletionsNotStreamed) {
  RequestTemplate request = Template();
  request.streaming = false;
  EXPECT_EQ(Body("openai-completions", request, "p", 7),
            R"({"model":"m","prompt":"p","max_tokens":7,"min_tokens":7,"ignore_eos":true,)"
            R"("stream":false})");
}

TEST(OpenAiBody, NaturalStopKeepsOnlyTheMaximum) {
  RequestTemplate request = Template();
  request.fixed_output_length = false;
  EXPECT_EQ(Body("openai-completions", request, "p", 7),
            R"({"model":"m","prompt":"p","max_tokens":7,"stream":true,)"
            R"("stream_options":{"include_usage":true}})");
}

TEST(OpenAiBody, WithoutALengthNothingForbidsTheEnd) {
  EXPECT_THAT(Body("openai-chat", Template(), "p", 0), Not(HasSubstr("ignore_eos")));
}

TEST(OpenAiBody, ExtraInputsReplaceOurKeys) {
  EXPECT_EQ(Body("openai-completions",
                 Template(R"( {"max_completion_tokens": 9, "ignore_eos":false,"min_tokens":1,)"
                          R"("stream_options":{},"model":"n","top":{"p":[1,"}"]}} )"),
                 "p", 7),
            R"({"prompt":"p","stream":true,"max_completion_tokens": 9, "ignore_eos":false,)"
            R"("min_tokens":1,"stream_options":{},"model":"n","top":{"p":[1,"}"]}})");
}

TEST(OpenAiBody, EmptyExtraInputsAddNothing) {
  EXPECT_EQ(Body("openai-chat", Template("{ }"), "p", 7), Body("openai-chat", Template(), "p", 7));
}

std::string Refusal(const std::string& api, const std::string& extra) {
  const auto adapter = NewEndpointAdapter(api, Template(extra));
  EXPECT_EQ(adapter.status().code(), absl::StatusCode::kInvalidArgument) << extra;
  return std::string(adapter.status().message());
}

TEST(OpenAiBody, RefusesExtraInputsThatAreNoObject) {
  EXPECT_THAT(Refusal("openai-chat", "[1]"), HasSubstr("extra_inputs is [1]: give an object"));
  EXPECT_THAT(Refusal("openai-chat", "{\"a\":"), HasSubstr("extra_inputs is no JSON"));
  EXPECT_THAT(Refusal("openai-chat", "temperature:0"), HasSubstr("temperature:0"));
}

TEST(OpenAiBody, RefusesExtraInputsThatTheWorkloadOwns) {
  EXPECT_THAT(Refusal("openai-chat", R"({"stream":false})"), HasSubstr("\"stream\""));
  EXPECT_THAT(Refusal("openai-chat", R"({"messages":[]})"), HasSubstr("\"messages\""));
  EXPECT_THAT(Refusal("openai-completions", R"({"prompt":""})"), HasSubstr("\"prompt\""));
}

TEST(OpenAiBody, RefusesAnImpossibleNumberOfChoices) {
  EXPECT_THAT(Refusal("openai-chat", R"({"n":0})"), HasSubstr("sets \"n\" to 0: give 1 to 64"));
  EXPECT_THAT(Refusal("openai-chat", R"({"n":"2"})"), HasSubstr("give 1 to 64"));
}

TEST(EndpointAdapters, NameTheKnownOnes) {
  EXPECT_THAT(Refusal("open-ai", ""), HasSubstr("openai-chat, openai-completions"));
  EXPECT_THAT(Refusal("tgi", ""), HasSubstr("not supported yet"));
}

TEST(OpenAiEvent, DoneIsTheEnd) {
  EXPECT_TRUE(Parse("[DONE]").end_of_stream);
  EXPECT_TRUE(Parse(" [DONE] ").end_of_stream);
}

TEST(OpenAiEvent, RefusesWhatIsNoJsonObject) {
  for (const char* data : {"oops", "{\"choices\":[}", "{} {}", "{\"a\":tru}", "[1]", "null", "\"x\"",
                           "{\"a\":\"\xFF\"}", "{\"a\":1", "[DONE", "\n"}) {
    ParsedEvent parsed;
    EXPECT_EQ(Chat()->ParseEvent({"", data}, true, &parsed).code(),
              absl::StatusCode::kInvalidArgument)
        << data;
  }
}

TEST(OpenAiEvent, TakesEveryShapeOfChoices) {
  for (const char* data : {R"({"choices":[]})", R"({"choices":null})", R"({})", R"({"choices":{}})",
                           R"({"choices":[null,1,[]]})", R"({"choices":[{}]})",
                           R"({"choices":[{"delta":null,"index":null,"finish_reason":null}]})",
                           R"({"choices":[{"delta":{"content":null}}],"usage":null})"}) {
    const ParsedEvent parsed = Parse(data);
    EXPECT_FALSE(parsed.token()) << data;
    EXPECT_FALSE(parsed.error) << data;
    EXPECT_EQ(parsed.finished_choices, 0u) << data;
    EXPECT_EQ(parsed.completion_tokens, std::nullopt) << data;
  }
}

TEST(OpenAiEvent, ReadsTextWhereverItStands) {
  for (const char* choice :
       {R"("delta":{"content":"x"})", R"("message":{"content":"x"})", R"("text":"x")",
        R"("delta":{"refusal":"x"})", R"("delta":{"content":[{"type":"text","text":"x"}]})"}) {
    const ParsedEvent parsed = Choice(choice);
    EXPECT_TRUE(parsed.text) << choice;
    EXPECT_EQ(parsed.output, "x") << choice;
  }
  EXPECT_FALSE(Choice(R"("text":"")").token());
}

TEST(OpenAiEvent, ReadsReasoningBesideContent) {
  const ParsedEvent parsed = Choice(R"("delta":{"reasoning_content":"r","content":"x"})");
  EXPECT_TRUE(parsed.reasoning);
  EXPECT_TRUE(parsed.text);
  EXPECT_TRUE(Choice(R"("delta":{"reasoning":"r","content":null})").reasoning);
  EXPECT_FALSE(Choice(R"("delta":{"reasoning":"","content":""})").token());
}

TEST(OpenAiEvent, ReadsToolAndFunctionCalls) {
  EXPECT_TRUE(Choice(R"("delta":{"tool_calls":[{"function":{"name":"f","arguments":""}}]})").tool_call);
  EXPECT_TRUE(Choice(R"("delta":{"tool_calls":[{"function":{"arguments":"{"}}]})").tool_call);
  EXPECT_TRUE(Choice(R"("delta":{"function_call":{"arguments":"{"}})").tool_call);
  EXPECT_FALSE(Choice(R"("delta":{"tool_calls":[{"id":"c","function":{"arguments":""}}]})").token());
  EXPECT_FALSE(Choice(R"("delta":{"tool_calls":null,"function_call":null})").token());
}

TEST(OpenAiEvent, CountsEveryChoice) {
  const ParsedEvent parsed = Parse(
      R"({"choices":[{"index":0,"delta":{"content":"a"}},{"index":2,"delta":{"content":"b"},)"
      R"("finish_reason":"stop"}]})");
  EXPECT_EQ(parsed.choices, 2u);
  EXPECT_EQ(parsed.seen_choices, 0b101u);
  EXPECT_EQ(parsed.finished_choices, 0b100u);
  EXPECT_EQ(parsed.output, "ab");
}

TEST(OpenAiEvent, ChoicesWithoutAnIndexHaveTheirPosition) {
  EXPECT_EQ(Parse(R"({"choices":[{"text":"a"},{"text":"b"}]})").seen_choices, 0b11u);
}

TEST(OpenAiEvent, ReadsUsageWithItsDetails) {
  const ParsedEvent parsed = Parse(
      R"({"usage":{"prompt_tokens":10,"completion_tokens":5.0,"total_tokens":15,)"
      R"("completion_tokens_details":{"reasoning_tokens":3},"prompt_tokens_details":{"cached_tokens":8}}})");
  EXPECT_EQ(parsed.prompt_tokens, 10u);
  EXPECT_EQ(parsed.completion_tokens, 5u);
  EXPECT_EQ(parsed.reasoning_tokens, 3u);
  EXPECT_EQ(parsed.cached_tokens, 8u);
}

TEST(OpenAiEvent, TakesNoCountLargerThanAnyCountCanBe) {
  for (const std::string count : {"1000000001", "2305843009213693953", "1e300", "1000000000.5"}) {
    const ParsedEvent event = Parse(
        "{\"usage\":{\"prompt_tokens\":" + count + ",\"completion_tokens\":" + count + "}}");
    EXPECT_FALSE(event.prompt_tokens.has_value()) << count;
    EXPECT_FALSE(event.completion_tokens.has_value()) << count;
  }
  EXPECT_EQ(Parse(R"({"usage":{"prompt_tokens":1000000000}})").prompt_tokens, 1'000'000'000u);
}

TEST(OpenAiEvent, TakesNoCountFromNullOrNonsense) {
  const ParsedEvent parsed = Parse(
      R"({"usage":{"prompt_tokens":null,"completion_tokens":-1,"completion_tokens_details":null}})");
  EXPECT_EQ(parsed.prompt_tokens, std::nullopt);
  EXPECT_EQ(parsed.completion_tokens, std::nullopt);
}

struct ErrorCase {
  const char* type;
  const char* data;
  int code;
};

TEST(OpenAiEvent, KnowsEveryWayToSayError) {
  for (const ErrorCase& c : {
           ErrorCase{"", R"({"error":{"message":"x","code":500}})", 500},
           ErrorCase{"", R"({"error":{"message":"x","code":"429"}})", 429},
           ErrorCase{"", R"({"error":{"message":"x","code":"rate_limit"}})", 0},
           ErrorCase{"", R"({"error":{"message":"x","code":null}})", 0},
           ErrorCase{"", R"({"error":"overloaded"})", 0},
           ErrorCase{"", R"({"error":"x","error_type":"generation"})", 0},
           ErrorCase{"", R"({"error_type":"overloaded"})", 0},
           ErrorCase{"", R"({"object":"error","message":"x","code":400})", 400},
           ErrorCase{"error", R"({"message":"x","code":503})", 503},
           ErrorCase{"error", R"({"code":503,"error":{"code":"507"}})", 507},
           ErrorCase{"error", "upstream connect error", 0},
           ErrorCase{"", R"({"choices":[{"finish_reason":"error"}]})", 0},
           ErrorCase{"", R"({"choices":[{"finish_reason":"abort"}]})", 0},
       }) {
    const ParsedEvent parsed = Parse(c.data, c.type);
    EXPECT_TRUE(parsed.error) << c.data;
    EXPECT_EQ(parsed.error_code, c.code) << c.data;
  }
}

TEST(OpenAiEvent, SeesNoErrorWhereNoneIsSaid) {
  for (const char* data : {R"({"error":null})", R"({"error":false})", R"({"error":""})",
                           R"({"error_type":null})", R"({"code":500})", R"({"object":"x"})"}) {
    EXPECT_FALSE(Parse(data).error) << data;
  }
}

TEST(OpenAiEvent, ForgetsTheEventBefore) {
  auto adapter = Chat();
  ParsedEvent parsed;
  ASSERT_TRUE(adapter->ParseEvent({"", R"({"choices":[{"text":"a"}],"usage":{"prompt_tokens":1}})"},
                                  true, &parsed).ok());
  ASSERT_TRUE(adapter->ParseEvent({"", "{}"}, true, &parsed).ok());
  EXPECT_FALSE(parsed.token());
  EXPECT_EQ(parsed.prompt_tokens, std::nullopt);
  EXPECT_EQ(parsed.output, "");
}

}  // namespace
}  // namespace tidemark
