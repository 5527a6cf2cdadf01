// What servers were seen to send, each as a script, and how the request must end. Each test stands for a
// kind of fault and fails when its handling is removed.
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/agent_endpoint/exchange_player.h"

namespace tidemark {
namespace {

void ExpectSuccess(const Played& p, uint64_t output_tokens) {
  EXPECT_EQ(p.record.outcome, Outcome::kOk) << p.failure() << ": " << p.record.excerpt;
  EXPECT_EQ(OutputSequenceLength(p.record), output_tokens);
}

void ExpectFailure(const Played& p, const std::string& failure) {
  EXPECT_EQ(p.record.outcome, Outcome::kFailed);
  EXPECT_EQ(p.failure(), failure);
}

TEST(WireCases, ChunksWithEmptyChoicesAreNoTokens) {  // azure_empty_choices
  const Script script{{Send(20, Event(R"({"id":"","object":"","model":"","choices":[],)"
                                      R"("prompt_filter_results":[{"prompt_index":0}]})")),
                       Send(120, Text("hi")), Send(130, Finish("stop")),
                       Send(140, Usage(12, 4) + kDone)}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 4);
    EXPECT_EQ(p.Ms(p.record.first_token), 120);
    EXPECT_EQ(p.Ms(p.record.first_event), 20);
    EXPECT_EQ(p.record.usage_prompt_tokens, 12u);
  });
}

TEST(WireCases, CarriageReturnsEndLinesAndTheLastEventNeedsNoBlankLine) {
  // cr_lines_cut_crlf_last_event_open
  const Script script{
      {Send(20, "data:\n\ndata: \n\n"),
       Send(150, R"(data: {"choices":[{"index":0,"delta":{"content":"x y"},"finish_reason":null}]})"
                 "\r\r"),
       Send(250, "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\r"),
       Send(270, "\ndata: \"delta\":{\"content\":\"z w\"},\"finish_reason\":null}]}\r\n\r\n"),
       Send(300, R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],)"
                 R"("usage":{"prompt_tokens":12,"completion_tokens":7,"total_tokens":19}})"),
       Close(320)}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 7);
    EXPECT_EQ(p.output, "x yz w");
    EXPECT_EQ(p.Ms(p.record.first_event), 150);
    EXPECT_EQ(p.Ms(p.record.first_token), 150);
    EXPECT_EQ(RequestLatencyUs(p.record), 270'000u);
  });
}

TEST(WireCases, CrLfAndNoSpaceAfterTheColonFollowTheGrammar) {  // crlf_and_no_space
  const auto crlf = [](std::string event) { return event.substr(0, event.size() - 2) + "\r\n\r\n"; };
  const auto tight = [](std::string event) { return event.erase(5, 1); };
  const Script script{{Send(10, crlf(Text("a"))), Send(20, tight(Text("b"))),
                       Send(30, crlf(Finish("stop"))),
                       Send(31, tight(Usage(12, 2)) + "data:[DONE]\n\n")}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 2);
    EXPECT_EQ(p.output, "ab");
  });
}

const std::string kWholeStreamEnd = Finish("stop") + Usage(12, 1) + kDone;

TEST(WireCases, DataAfterDoneInTheSameReadFails) {  // data_after_done_same_read
  const Played p =
      Play({{Send(20, Text("a")), Send(40, kWholeStreamEnd + Text("b")), Close(60)}});
  ExpectFailure(p, "protocol_error");
  EXPECT_EQ(p.state, Exchange::State::kFailed);
  EXPECT_EQ(p.Ms(p.record.ended), 40);
}

TEST(WireCases, DataAfterDoneInALaterReadOnlyCostsTheConnection) {
  const std::string after = Text("b");
  for (size_t cut = 0; cut < after.size(); ++cut) {
    const Played p = Play({{Send(20, Text("a")), Send(40, kWholeStreamEnd + after.substr(0, cut)),
                            Send(41, after.substr(cut)), Close(60)}});
    ExpectSuccess(p, 1);
    EXPECT_TRUE(p.record.data_after_done) << cut;
    EXPECT_EQ(p.state, Exchange::State::kFailed) << cut;
  }
}

TEST(WireCases, DataAfterDoneInTheSameReadFailsWhereverTheStreamWasCutBefore) {
  for (size_t cut = 1; cut < kWholeStreamEnd.size(); ++cut) {
    const Played p = Play({{Send(20, Text("a")), Send(40, kWholeStreamEnd.substr(0, cut)),
                            Send(40, kWholeStreamEnd.substr(cut) + Text("b")), Close(60)}});
    // From the LF that ends [DONE]'s blank line on, the rest is another read's.
    ExpectFailure(p, "protocol_error");
  }
}

TEST(WireCases, DoneEndsTheRequestThoughTheSocketStaysOpen) {  // done_but_socket_open
  const Script script{{Send(10, Text("a")), Send(20, Finish("stop")), Send(25, Usage(12, 1) + kDone),
                       Close(8'000)}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 1);
    EXPECT_EQ(p.Ms(p.record.ended), 25);
  });
}

TEST(WireCases, DoneWithoutATokenIsAnEmptyResponse) {  // empty_stream
  PlayAtEverySplit({{Send(10, kDone)}}, [](const Played& p) {
    ExpectFailure(p, "empty_response");
    EXPECT_EQ(TimeToFirstTokenUs(p.record), std::nullopt);
  });
}

TEST(WireCases, AnEndWithoutDoneOrFinishReasonIsTruncated) {  // eof_without_end
  PlayAtEverySplit({{Send(10, Text("a")), Send(20, Text("b")), Close(40)}}, [](const Played& p) {
    ExpectFailure(p, "truncated");
    EXPECT_EQ(p.record.token_events, 2u);
    EXPECT_EQ(p.output, "ab");
  });
}

TEST(WireCases, FinishThenSilenceIsASuccessAfterTheUsageWait) {  // finish_then_silence_no_usage
  const Script script{
      {Send(100, Text("a")),
       Send(300, Event(R"({"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]})")),
       Close(8'000)}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 2);
    EXPECT_EQ(OutputTokenSource(p.record), TokenCountSource::kEvents);
    EXPECT_EQ(p.Ms(p.record.first_token), 100);
    EXPECT_EQ(RequestLatencyUs(p.record), 300'000u);
    EXPECT_EQ(p.Ms(p.record.ended), 1'300);
    EXPECT_EQ(p.state, Exchange::State::kFailed);  // its connection still has an open response
  });
}

TEST(WireCases, FinishReasonThenTheEndIsASuccess) {  // finish_without_done
  const Script script{
      {Send(10, Text("a")),
       Send(20, Event(R"({"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]})")),
       Send(25, Usage(12, 2)), Close(40)}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 2);
    EXPECT_EQ(OutputTokenSource(p.record), TokenCountSource::kUsage);
    EXPECT_EQ(p.state, Exchange::State::kEnded);
  });
}

TEST(WireCases, GapOfChunksAndTimeOfTokensAreTwoMetrics) {  // four_tokens_a_chunk
  Script script;
  for (int at = 1'000; at <= 1'900; at += 100) script.steps.push_back(Send(at, Text("a b c d ")));
  script.steps.push_back(Send(1'900, Finish("length")));
  script.steps.push_back(Send(1'905, Usage(12, 40) + kDone));
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 40);
    EXPECT_EQ(p.record.chunk_gaps_us, std::vector<uint32_t>(9, 100'000));
    EXPECT_EQ(InterTokenLatencyUs(p.record), 23'077u);  // 900 ms / 39
    EXPECT_EQ(TokensPerChunkMilli(p.record), 4'000u);
    EXPECT_EQ(p.Ms(p.record.first_token), 1'000);
  });
}

TEST(WireCases, AnHtmlPageIsAProtocolError) {  // html_from_proxy
  Script script{{Send(5, "<html><body>gateway</body></html>")}};
  script.headers = {{"Content-Type", "text/html"}, {"Server", "nginx"}, {"Via", "1.1 proxy"}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectFailure(p, "protocol_error");
    EXPECT_EQ(p.record.excerpt, "<html><body>gateway</body></html>");
    EXPECT_EQ(p.record.server, "nginx");
    EXPECT_EQ(p.record.via, "1.1 proxy");
  });
}

TEST(WireCases, AnErrorInsideTheStreamFailsTheRequest) {  // in_band_error_after_tokens
  const std::string error = R"({"error":{"message":"engine died","code":500}})";
  const Script script{{Send(10, Text("a")), Send(20, Text("b")), Send(30, Text("c")),
                       Send(40, Event(error)), Send(40, kDone)}};
  PlayAtEverySplit(script, [&](const Played& p) {
    ExpectFailure(p, "stream_error");
    EXPECT_EQ(p.record.status, 500);
    EXPECT_EQ(p.record.excerpt, error);
    EXPECT_EQ(p.record.token_events, 3u);
  });
}

TEST(WireCases, CommentsAreNoEvents) {  // keepalive_comments
  const Script script{{Send(100, ":\n\n"), Send(300, ": keep-alive\n\n"), Send(500, ": ping\n"),
                       Send(700, Text("a")), Send(900, Text("b")), Send(910, Finish("stop")),
                       Send(911, Usage(12, 2) + kDone)}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 2);
    EXPECT_EQ(p.Ms(p.record.first_event), 700);
    EXPECT_EQ(p.Ms(p.record.first_token), 700);
  });
}

TEST(WireCases, EventsOfOneReadShareItsTimeAndMakeNoGap) {  // many_events_in_one_read
  const Played p = Play({{Send(50, Text("a") + Text("b") + Text("c") + Finish("stop") + Usage(12, 3) +
                                       kDone)}});
  ExpectSuccess(p, 3);
  EXPECT_EQ(p.Ms(p.record.first_token), 50);
  EXPECT_EQ(p.Ms(p.record.last_token), 50);
  EXPECT_TRUE(p.record.chunk_gaps_us.empty());
  EXPECT_EQ(InterTokenLatencyUs(p.record), 0u);
  EXPECT_EQ(TokensPerSecondPerUserMilli(p.record), std::nullopt);
  EXPECT_EQ(p.record.multi_event_reads, 1u);
  EXPECT_EQ(p.record.reads, 1u);
}

TEST(WireCases, OneEventInManyReadsHasTheTimeOfItsLastByte) {  // one_event_in_many_reads
  const std::string event = Text("n\xC3\xA9");
  Script script;
  int64_t at = 10;
  for (const char byte : event) script.steps.push_back(Send(at++, std::string(1, byte)));
  script.steps.push_back(Send(at + 50, Text("b") + Finish("stop") + Usage(12, 2) + kDone));
  const Played p = Play(script);
  ExpectSuccess(p, 2);
  EXPECT_EQ(p.output, "n\xC3\xA9" "b");
  EXPECT_EQ(p.Ms(p.record.first_token), static_cast<double>(at - 1));
}

TEST(WireCases, ReasoningIsATokenButNoOutputToken) {  // reasoning_then_content
  Script script;
  for (int i = 0; i < 40; ++i) {
    const char* field = i % 2 == 0 ? R"({"reasoning_content":"r "})" : R"({"reasoning":"r "})";
    script.steps.push_back(Send(100 + 5 * i, Delta(field)));
  }
  script.steps.push_back(Send(400, Text("x")));
  script.steps.push_back(Send(410, Text("y")));
  script.steps.push_back(Send(415, Finish("stop")));
  script.steps.push_back(Send(416, Usage(12, 42) + kDone));
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 42);
    EXPECT_EQ(p.Ms(p.record.first_token), 100);
    EXPECT_EQ(p.Ms(p.record.first_output_token), 400);
    EXPECT_EQ(p.record.token_events, 42u);
  });
}

TEST(WireCases, AResetMidStreamKeepsThePartialText) {  // reset_mid_stream
  const Script script{
      {Send(10, Text("a")), Send(20, Text("b")), Send(30, Text("c")), ResetConnection(50)}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectFailure(p, "connection_reset");
    EXPECT_EQ(p.output, "abc");
    EXPECT_EQ(p.Ms(p.record.ended), 50);
  });
}

TEST(WireCases, ARoleOnlyChunkIsNoToken) {  // role_chunk_first
  Script script{{Send(50, Delta(R"({"role":"assistant","content":""})"))}};
  for (int at = 200; at <= 290; at += 10) script.steps.push_back(Send(at, Text("tok ")));
  script.steps.push_back(Send(300, Finish("stop")));
  script.steps.push_back(Send(300, Usage(12, 10) + kDone));
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 10);
    EXPECT_EQ(p.Ms(p.record.first_token), 200);
    EXPECT_EQ(p.Ms(p.record.first_event), 50);
    EXPECT_EQ(p.record.chunk_gaps_us.size(), 9u);
    EXPECT_EQ(RequestLatencyUs(p.record), 290'000u);
  });
}

TEST(WireCases, ARefusedRequestIsCountedAsItIs) {  // status_429_retry_after
  Script script{{Send(5, R"({"error":{"message":"slow down"}})")}};
  script.status = 429;
  script.headers = {{"content-type", "application/json"}, {"retry-after", "1"}};
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectFailure(p, "http_429");
    EXPECT_EQ(p.record.status, 429);
    EXPECT_EQ(p.record.retry_after, "1");
    EXPECT_EQ(p.record.excerpt, R"({"error":{"message":"slow down"}})");
    EXPECT_EQ(p.state, Exchange::State::kEnded);  // the connection is still good
  });
}

TEST(WireCases, ToolCallFragmentsAreTokens) {  // tool_call_fragments
  Script script{{Send(30, Delta(R"({"role":"assistant","content":""})"))}};
  for (int at = 100; at <= 140; at += 10) {
    script.steps.push_back(
        Send(at, Delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]})")));
  }
  script.steps.push_back(Send(150, Finish("tool_calls")));
  script.steps.push_back(Send(151, Usage(12, 5) + kDone));
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 5);
    EXPECT_EQ(p.Ms(p.record.first_token), 100);
    EXPECT_EQ(p.record.token_events, 5u);
  });
}

TEST(WireCases, UsageBesideEmptyTextWinsOverTheRequestedLength) {  // usage_in_last_text_chunk
  Script script;
  for (int at = 20; at <= 50; at += 5) script.steps.push_back(Send(at, Text("w")));
  script.steps.push_back(
      Send(60, Event(R"({"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],)"
                     R"("usage":{"prompt_tokens":5,"completion_tokens":11,"total_tokens":16}})")));
  script.steps.push_back(Send(61, kDone));
  PlayAtEverySplit(script, [](const Played& p) {
    ExpectSuccess(p, 11);
    EXPECT_EQ(OutputTokenSource(p.record), TokenCountSource::kUsage);
    EXPECT_EQ(RequestLatencyUs(p.record), 50'000u);
  });
}

}  // namespace
}  // namespace tidemark
