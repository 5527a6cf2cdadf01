#include "agent/endpoint/exchange.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agent_endpoint/exchange_player.h"

namespace tidemark {
namespace {

using State = Exchange::State;

Script Stream(std::vector<Step> steps) {
  Script script;
  script.steps = std::move(steps);
  return script;
}

Script Whole(std::vector<Step> steps) {
  Script script = Stream(std::move(steps));
  script.streaming = false;
  script.headers = {{"content-type", "application/json"}};
  return script;
}

Script Answer(int status, std::string body) {
  Script script = Stream({Send(5, std::move(body))});
  script.status = status;
  script.headers = {{"content-type", "application/json"}};
  return script;
}

// An exchange in a stream whose headers have come, for what the player does not say.
class ExchangeTest : public ::testing::Test {
 protected:
  ExchangeTest() { Start(); }

  void Start() {
    exchange_.Begin(true);
    exchange_.record().sent = kSent;
    exchange_.OnStatus(200, kSent);
    exchange_.OnHeader("content-type", "text/event-stream");
    exchange_.OnHeadersEnd(kSent);
  }
  void Read(int64_t at_ms, const std::string& bytes) {
    exchange_.OnBody(bytes, At(at_ms), ++read_);
  }
  static int64_t At(int64_t ms) { return kSent + ms * 1'000'000; }
  const RequestRecord& record() const { return exchange_.record(); }

  std::unique_ptr<EndpointAdapter> adapter_ = *NewEndpointAdapter("openai-chat", {});
  Exchange exchange_{adapter_.get(), true};
  uint64_t read_ = 0;
};

TEST(ExchangeSecrets, TheRecordKeepsNoSecretThatTheEndpointRepeats) {
  const Redactor redactor(EndpointSpec(), "sk-12345");
  const auto adapter = NewEndpointAdapter("openai-chat", {});
  Exchange exchange(adapter->get(), false, &redactor);
  exchange.Begin(true);
  exchange.OnStatus(401, kSent);
  exchange.OnHeader("server", "for sk-12345");
  exchange.OnHeadersEnd(kSent);
  exchange.OnBody("no such key: sk-12345", kSent, 1);
  exchange.OnResponseEnd(true, kSent);
  EXPECT_EQ(exchange.record().excerpt, "no such key: <redacted>");
  EXPECT_EQ(exchange.record().server, "for <redacted>");
}

TEST_F(ExchangeTest, DoneAwaitsTheResponsesEnd) {
  Read(10, Text("a") + Finish("stop") + kDone);
  EXPECT_EQ(exchange_.state(), State::kDone);
  EXPECT_TRUE(record().ok());
  exchange_.OnResponseEnd(true, At(11));
  EXPECT_EQ(exchange_.state(), State::kEnded);
  EXPECT_EQ(record().ended, At(10));
}

TEST_F(ExchangeTest, PiecesOfOneReadAreOneRead) {
  exchange_.OnBody(Text("a") + kDone, At(10), 1);
  exchange_.OnBody(Text("b"), At(10), 1);
  EXPECT_EQ(FailureClassName(record().failure, 0), "protocol_error");
  EXPECT_EQ(record().reads, 1u);
}

TEST_F(ExchangeTest, ABrokenConnectionAfterDoneChangesNoOutcome) {
  Read(10, Text("a") + kDone);
  exchange_.OnFailure(FailureClass::kConnectionReset, At(20), "reset");
  EXPECT_TRUE(record().ok());
  EXPECT_EQ(exchange_.state(), State::kFailed);
}

TEST_F(ExchangeTest, ACommentAfterDoneIsNoData) {
  Read(10, Text("a") + kDone + ": bye\n\n");
  Read(20, ": bye\n\n");
  exchange_.OnResponseEnd(true, At(21));
  EXPECT_FALSE(record().data_after_done);
  EXPECT_EQ(exchange_.state(), State::kEnded);
}

TEST_F(ExchangeTest, TheUsageWaitCountsFromTheLastFinishReason) {
  Read(10, Text("a"));
  EXPECT_EQ(exchange_.state(), State::kOpen);
  Read(20, Finish("stop"));
  EXPECT_EQ(exchange_.state(), State::kEndSeen);
  Read(500, Usage(1, 3));
  EXPECT_EQ(exchange_.usage_deadline(), At(1'020));
  exchange_.OnUsageDeadline(At(1'020));
  EXPECT_TRUE(record().ok());
  EXPECT_EQ(OutputSequenceLength(record()), 3u);
  EXPECT_EQ(RequestLatencyUs(record()), 10'000u);
}

TEST_F(ExchangeTest, AFinishWithoutATokenIsEmptyAtTheDeadline) {
  Read(20, Finish("stop"));
  exchange_.OnUsageDeadline(At(1'020));
  EXPECT_EQ(record().failure, FailureClass::kEmptyResponse);
}

TEST_F(ExchangeTest, AResetAfterTheLastFinishReasonIsASuccess) {
  Read(10, Text("a") + Finish("stop"));
  exchange_.OnFailure(FailureClass::kConnectionReset, At(20), "reset");
  EXPECT_TRUE(record().ok());
  EXPECT_EQ(exchange_.state(), State::kFailed);
}

TEST_F(ExchangeTest, AnErrorAfterTheFinishReasonStillFails) {
  Read(10, Text("a") + Finish("stop"));
  Read(20, Event(R"({"error":"engine died"})"));
  EXPECT_EQ(record().failure, FailureClass::kStreamError);
}

TEST_F(ExchangeTest, CancelEndsWhatIsInFlight) {
  Read(10, Text("a"));
  exchange_.OnCancel(At(30));
  EXPECT_EQ(record().outcome, Outcome::kCancelled);
  EXPECT_EQ(record().ended, At(30));
  EXPECT_EQ(record().token_events, 1u);
  EXPECT_EQ(exchange_.state(), State::kFailed);
}

TEST_F(ExchangeTest, TheFirstFaultWins) {
  Read(10, Text("a") + "data: oops\n\n");
  exchange_.OnFailure(FailureClass::kConnectionReset, At(20), "reset");
  exchange_.OnCancel(At(30));
  EXPECT_EQ(record().failure, FailureClass::kProtocolError);
  EXPECT_EQ(record().ended, At(10));
  EXPECT_EQ(record().excerpt, "oops");
}

TEST_F(ExchangeTest, TimeLimitsKeepTheirClass) {
  exchange_.OnFailure(FailureClass::kTimeoutFirstToken, At(100), "no token in 100 ms");
  EXPECT_EQ(record().failure, FailureClass::kTimeoutFirstToken);
  EXPECT_EQ(record().excerpt, "no token in 100 ms");
}

TEST_F(ExchangeTest, BeginForgetsTheRequestBefore) {
  Read(10, Text("a") + "data: half an ev");
  exchange_.OnCancel(At(11));
  Start();
  Read(20, Text("b") + Finish("stop") + kDone);
  EXPECT_TRUE(record().ok());
  EXPECT_EQ(record().token_events, 1u);
  EXPECT_EQ(exchange_.output(), "b");
}

TEST_F(ExchangeTest, InterimResponsesAreSkipped) {
  exchange_.Begin(true);
  exchange_.record().sent = kSent;
  exchange_.OnStatus(100, At(1));
  exchange_.OnHeader("content-type", "text/html");
  exchange_.OnHeadersEnd(At(1));
  exchange_.OnStatus(200, At(5));
  exchange_.OnHeader("content-type", "text/event-stream");
  exchange_.OnHeadersEnd(At(5));
  Read(10, Text("a") + kDone);
  EXPECT_TRUE(record().ok());
  EXPECT_EQ(record().first_byte, At(5));
}

TEST_F(ExchangeTest, NoResponseAtAllIsAReset) {
  exchange_.Begin(true);
  exchange_.OnResponseEnd(false, At(5));
  EXPECT_EQ(record().failure, FailureClass::kConnectionReset);
}

TEST(Exchange, ContentTypeIsComparedWithoutCaseAndParameters) {
  Script script = Stream({Send(10, Text("a") + Finish("stop") + kDone)});
  script.headers = {{"CONTENT-TYPE", " Text/Event-Stream ; charset=UTF-8 "}};
  EXPECT_TRUE(Play(script).record.ok());
}

TEST(Exchange, ABodyWithoutATypeIsAProtocolError) {
  Script script = Stream({Send(10, Text("a") + Finish("stop") + kDone)});
  script.headers = {};
  EXPECT_EQ(Play(script).failure(), "protocol_error");
}

TEST(Exchange, NoBodyIsAnEmptyResponseWhateverItsType) {
  Script script = Stream({});
  EXPECT_EQ(Play(script).failure(), "empty_response");
  script.headers = {};
  EXPECT_EQ(Play(script).failure(), "empty_response");
}

TEST(Exchange, DataThatIsNoJsonIsAProtocolError) {
  PlayAtEverySplit(Stream({Send(10, Text("a")), Send(20, "data: oops\n\n")}), [](const Played& p) {
    EXPECT_EQ(p.failure(), "protocol_error");
    EXPECT_EQ(p.record.excerpt, "oops");
  });
}

TEST(Exchange, AnEndlessLineIsAProtocolErrorAtOneMebibyte) {
  Script script = Stream({Send(10, Text("a") + "data: ")});
  for (int i = 0; i < 1'100; ++i) script.steps.push_back(Send(20 + i, std::string(1'024, 'x')));
  const Played p = Play(script);
  EXPECT_EQ(p.failure(), "protocol_error");
  EXPECT_NEAR(p.Ms(p.record.ended), 20 + 1'023, 1);
}

TEST(Exchange, AFinInsideTheBodyIsTruncated) {
  EXPECT_EQ(Play(Stream({Send(10, Text("a")), Fin(20)})).failure(), "truncated");
  EXPECT_EQ(Play(Stream({Send(10, ": ping\n\n"), Fin(20)})).failure(), "empty_response");
}

TEST(Exchange, AFinInsideTheBodyAfterTheLastFinishReasonIsASuccess) {
  const Played p = Play(Stream({Send(10, Text("a") + Finish("stop")), Fin(20)}));
  EXPECT_TRUE(p.record.ok());
  EXPECT_EQ(p.state, State::kFailed);
}

TEST(Exchange, EveryAskedChoiceMustFinish) {
  Script script = Stream({Send(10, Text("a")), Send(20, Finish("stop")), Close(3'000)});
  script.extra_inputs_json = R"({"n":2})";
  script.steps.insert(
      script.steps.begin() + 2,
      Send(2'000, Event(R"({"choices":[{"index":1,"text":"b","finish_reason":"stop"}]})")));
  const Played p = Play(script);
  EXPECT_TRUE(p.record.ok());
  EXPECT_EQ(p.record.token_events, 2u);
  EXPECT_EQ(p.Ms(p.record.ended), 3'000);
}

TEST(Exchange, AChoiceThatDidNotFinishIsTruncated) {
  EXPECT_EQ(Play(Stream({Send(10, Text("a") +
                                      Event(R"({"choices":[{"index":1,"text":"b"}]})")),
                         Send(20, Finish("stop")), Close(30)}))
                .failure(),
            "truncated");
}

TEST(Exchange, CumulativeUsageIsNeverSummed) {
  const auto chunk = [](int tokens) {
    return Event(R"({"choices":[{"index":0,"text":"a"}],"usage":{"completion_tokens":)" +
                 std::to_string(tokens) + "}}");
  };
  const Played p =
      Play(Stream({Send(10, chunk(2)), Send(20, chunk(4)), Send(30, chunk(7)), Send(40, kDone)}));
  EXPECT_EQ(OutputSequenceLength(p.record), 7u);
  EXPECT_EQ(OutputTokenSource(p.record), TokenCountSource::kChunkUsage);
}

TEST(Exchange, StatusesAreTheirOwnClass) {
  EXPECT_EQ(Play(Answer(503, "busy")).failure(), "http_503");
  EXPECT_EQ(Play(Answer(404, "")).failure(), "http_404");
  EXPECT_EQ(Play(Answer(302, "")).failure(), "http_302");
}

TEST(Exchange, ThrottlingInA400CountsAs429) {
  EXPECT_EQ(Play(Answer(400, R"({"__type":"ThrottlingException","message":"Rate exceeded"})")).failure(),
            "http_429");
  EXPECT_EQ(Play(Answer(400, R"({"message":null})")).failure(), "http_429");
  EXPECT_EQ(Play(Answer(400, R"({"message":"bad request"})")).failure(), "http_400");
  EXPECT_EQ(Play(Answer(500, R"({"message":null})")).failure(), "http_500");
}

TEST(Exchange, AnErrorStatusSurvivesABrokenBody) {
  Script script = Answer(502, "<html>");
  script.steps.push_back(ResetConnection(20));
  const Played p = Play(script);
  EXPECT_EQ(p.failure(), "http_502");
  EXPECT_EQ(p.state, State::kFailed);
}

TEST(Exchange, AnErrorBodyIsReadToALimitAndKeptTo512Bytes) {
  std::string body(511, 'x');
  body += "\xC3\xA9";
  Script script = Answer(500, body);
  for (int i = 0; i < 100; ++i) script.steps.push_back(Send(10 + i, std::string(1'024, 'y')));
  const Played p = Play(script);
  EXPECT_EQ(p.record.excerpt, std::string(511, 'x'));
  EXPECT_EQ(p.state, State::kFailed);
  EXPECT_LT(p.Ms(p.record.ended), 80);
}

const char kWholeBody[] =
    R"({"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}],)"
    R"("usage":{"prompt_tokens":3,"completion_tokens":2}})";

TEST(Exchange, AWholeBodySucceedsAtItsEnd) {
  PlayAtEverySplit(Whole({Send(10, kWholeBody), Close(30)}), [](const Played& p) {
    EXPECT_TRUE(p.record.ok()) << p.failure();
    EXPECT_EQ(p.output, "hi");
    EXPECT_EQ(OutputSequenceLength(p.record), 2u);
    EXPECT_EQ(RequestLatencyUs(p.record), 30'000u);
    EXPECT_EQ(TimeToFirstTokenUs(p.record), std::nullopt);
    EXPECT_EQ(p.state, State::kEnded);
  });
}

TEST(Exchange, AWholeBodyHasItsOwnFaults) {
  EXPECT_EQ(Play(Whole({Send(10, "{oops")})).failure(), "protocol_error");
  EXPECT_EQ(Play(Whole({Send(10, R"({"choices":[]})")})).failure(), "empty_response");
  EXPECT_EQ(Play(Whole({})).failure(), "empty_response");
  EXPECT_EQ(Play(Whole({Send(10, "{\"choices\""), Fin(20)})).failure(), "truncated");
  EXPECT_EQ(Play(Whole({Fin(20)})).failure(), "empty_response");
  const Played p = Play(Whole({Send(10, R"({"error":{"code":500}})")}));
  EXPECT_EQ(p.failure(), "stream_error");
  EXPECT_EQ(p.record.status, 500);
}

TEST(Exchange, ATypedErrorEventHasItsTopLevelCode) {
  const Played p = Play(Stream({Send(10, "event: error\ndata: {\"code\":503,\"message\":\"x\"}\n\n")}));
  EXPECT_EQ(p.failure(), "stream_error");
  EXPECT_EQ(p.record.status, 503);
}

TEST(Exchange, CompletionsStreamsHaveTextInTheChoice) {
  Script script = Stream({Send(10, Event(R"({"choices":[{"index":0,"text":"a","finish_reason":""}]})")),
                          Send(20, Event(R"({"choices":[{"index":0,"text":"","finish_reason":"length"}]})")),
                          Close(30)});
  script.api = "openai-completions";
  const Played p = Play(script);
  EXPECT_TRUE(p.record.ok()) << p.failure();
  EXPECT_EQ(p.record.token_events, 1u);
}

}  // namespace
}  // namespace tidemark
