// The simulator over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "simulator/simulator.h"
#include "tests/integration/simulator/plain_http.h"

namespace tidemark {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::HttpEnd;
using testing::HttpResponse;
using testing::JsonNumber;
using ::testing::Not;
using testing::PlainHttp;

constexpr char kChat[] = "/v1/chat/completions";

// A chat request of three words (10 prompt tokens) with fixed length.
std::string Chat(int tokens, const std::string& more = ",\"stream\":true") {
  return "{\"model\":\"tidemark-sim\",\"messages\":[{\"role\":\"user\",\"content\":\"a b c\"}],"
         "\"ignore_eos\":true,\"max_tokens\":" +
         std::to_string(tokens) + more + "}";
}

class SimulatorServerTest : public ::testing::Test {
 protected:
  void Start(SimulatorOptions options = {}) {
    absl::StatusOr<int> port = simulator_.Start(std::move(options));
    ASSERT_TRUE(port.ok()) << port.status();
    port_ = *port;
  }

  void StartWithFault(const char* fault) {
    SimulatorOptions options;
    options.faults = {*ParseFault(fault)};
    Start(std::move(options));
  }

  HttpResponse Post(const std::string& body, const std::string& path = kChat) {
    return PlainHttp(port_).Post(path, body);
  }

  long Stat(const std::string& name) {
    return JsonNumber(PlainHttp(port_).Get("/simulator/stats").body(), name);
  }

  // Plays streams on one connection. Were the end a write of its own, some of them would show it.
  void ExpectTheReadThatBringsDoneToEndTheBody(int streams) {
    PlainHttp client(port_);
    for (int i = 0; i < streams && !HasFailure(); ++i) {
      client.Send("POST", kChat, Chat(3));
      EXPECT_THAT(client.ReadPast("data: [DONE]\n\n"), EndsWith("data: [DONE]\n\n\r\n0\r\n\r\n"));
    }
  }

  // Waits for a statistic, 5 s at most.
  bool Reaches(const std::string& name, long value) {
    for (int i = 0; i < 500; ++i) {
      if (Stat(name) == value) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  Simulator simulator_;
  int port_ = 0;
};

TEST_F(SimulatorServerTest, StreamsOneChunkATokenAndDoneWithTheLast) {
  Start();
  const HttpResponse response = Post(Chat(5));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.end, HttpEnd::kComplete);
  ASSERT_EQ(response.chunks.size(), 5u);
  EXPECT_THAT(response.chunks[0], HasSubstr("\"role\":\"assistant\""));
  EXPECT_THAT(response.chunks[3], HasSubstr("\"finish_reason\":null"));
  EXPECT_THAT(response.chunks[4], HasSubstr("\"finish_reason\":\"length\""));
  EXPECT_THAT(response.chunks[4], HasSubstr("\n\ndata: [DONE]\n\n"));
}

TEST_F(SimulatorServerTest, DoneAndTheEndOfTheBodyAreOneWrite) {
  Start();
  ExpectTheReadThatBringsDoneToEndTheBody(50);
}

TEST_F(SimulatorServerTest, DoneAndTheEndOfTheBodyAreOneWriteWithFixedDelays) {
  SimulatorOptions options;
  options.fixed_delays = {1, 0.5};
  Start(std::move(options));
  ExpectTheReadThatBringsDoneToEndTheBody(50);
}

TEST_F(SimulatorServerTest, DoneAndTheEndOfTheBodyAreOneWriteAfterAnErrorInBand) {
  StartWithFault("error@1");
  ExpectTheReadThatBringsDoneToEndTheBody(50);
}

TEST_F(SimulatorServerTest, CountsDifferentPromptsOnce) {
  Start();
  const std::string other = "{\"model\":\"tidemark-sim\",\"max_tokens\":1,\"prompt\":\"a b\"}";
  for (int i = 0; i < 3; ++i) Post(Chat(1));
  for (int i = 0; i < 2; ++i) Post(other, "/v1/completions");
  EXPECT_EQ(Stat("requests"), 5);
  EXPECT_EQ(Stat("distinct_prompts"), 2);
}

TEST_F(SimulatorServerTest, NamesItselfAndItsContentType) {
  Start();
  const HttpResponse response = Post(Chat(1));
  EXPECT_THAT(response.head, HasSubstr("Server: tidemark-sim/"));
  EXPECT_THAT(response.head, HasSubstr("Content-Type: text/event-stream"));
}

TEST_F(SimulatorServerTest, SendsUsageOnlyWhenAsked) {
  Start();
  EXPECT_THAT(Post(Chat(2)).body(), Not(HasSubstr("usage")));
  EXPECT_THAT(Post(Chat(2, ",\"stream\":true,\"stream_options\":{\"include_usage\":true}")).body(),
              HasSubstr("\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"total_tokens\":12,"
                        "\"completion_tokens\":2}"));
}

TEST_F(SimulatorServerTest, AnswersWholeWithoutStream) {
  Start();
  const HttpResponse response = Post(Chat(3, ""));
  EXPECT_THAT(response.head, HasSubstr("application/json"));
  EXPECT_EQ(JsonNumber(response.body(), "completion_tokens"), 3);
  EXPECT_THAT(response.body(), HasSubstr("\"object\":\"chat.completion\""));
}

TEST_F(SimulatorServerTest, CompletionsHaveNoTemplateTokens) {
  Start();
  const HttpResponse response =
      Post(R"({"model":"tidemark-sim","prompt":"a b","max_tokens":1})", "/v1/completions");
  EXPECT_EQ(JsonNumber(response.body(), "prompt_tokens"), 2);
}

TEST_F(SimulatorServerTest, NaturalLengthStopsButNotBelowMinTokens) {
  SimulatorOptions options;
  options.natural_mean = 2;
  Start(std::move(options));
  const std::string body =
      Post(R"({"model":"tidemark-sim","prompt":"a","max_tokens":400,"min_tokens":40})",
           "/v1/completions")
          .body();
  EXPECT_THAT(body, HasSubstr("\"finish_reason\":\"stop\""));
  EXPECT_GE(JsonNumber(body, "completion_tokens"), 40);
}

TEST_F(SimulatorServerTest, KeepsTheConnectionForTheNextRequest) {
  Start();
  PlainHttp client(port_);
  EXPECT_EQ(client.Post(kChat, Chat(2)).end, HttpEnd::kComplete);
  EXPECT_EQ(client.Post(kChat, Chat(2, "")).end, HttpEnd::kComplete);
  EXPECT_EQ(client.Post(kChat, "{").status, 400);
  EXPECT_EQ(JsonNumber(client.Get("/simulator/stats").body(), "connections"), 1);
}

TEST_F(SimulatorServerTest, RequestSentDuringAStreamIsAnsweredAfterIt) {
  Start();
  PlainHttp client(port_);
  client.Send("POST", kChat, Chat(50));
  client.Send("POST", kChat, Chat(2));
  EXPECT_EQ(client.Read().chunks.size(), 50u);
  EXPECT_EQ(client.Read().chunks.size(), 2u);
}

TEST_F(SimulatorServerTest, RequestSentDuringAWholeAnswerIsAnsweredAfterIt) {
  Start();
  PlainHttp client(port_);
  client.Send("POST", kChat, Chat(200, ""));
  EXPECT_TRUE(Reaches("in_flight", 1));
  client.Send("POST", kChat, Chat(2));
  EXPECT_EQ(JsonNumber(client.Read().body(), "completion_tokens"), 200);
  EXPECT_EQ(client.Read().chunks.size(), 2u);
}

TEST_F(SimulatorServerTest, ListsModelsAndIsHealthy) {
  Start();
  PlainHttp client(port_);
  EXPECT_THAT(client.Get("/v1/models").body(), HasSubstr("\"id\":\"tidemark-sim\""));
  EXPECT_EQ(client.Get("/health").status, 200);
}

TEST_F(SimulatorServerTest, RefusesAsOpenAiDoes) {
  SimulatorOptions options;
  options.base_models = {"base"};
  Start(std::move(options));
  PlainHttp client(port_);
  EXPECT_EQ(client.Post("/v2", "{}").status, 404);
  EXPECT_EQ(client.Get(kChat).status, 405);
  const HttpResponse unknown = client.Post("/v1/completions", R"({"model":"x","prompt":"a"})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.body(), HasSubstr("The model `x` does not exist."));
  const HttpResponse base =
      client.Post(kChat, R"({"model":"base","messages":[{"role":"user","content":"a"}]})");
  EXPECT_EQ(base.status, 400);
  EXPECT_THAT(base.body(), HasSubstr("chat template"));
  EXPECT_EQ(client.Post("/v1/completions", R"({"model":"base","prompt":"a"})").status, 200);
  EXPECT_EQ(Stat("refused"), 4);
}

TEST_F(SimulatorServerTest, AsksForTheKey) {
  SimulatorOptions options;
  options.required_key = "k1";
  Start(std::move(options));
  PlainHttp client(port_);
  EXPECT_EQ(client.Post(kChat, Chat(1)).status, 401);
  client.Send("POST", kChat, Chat(1), "Authorization: Bearer k1\r\n");
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(SimulatorServerTest, ClientThatLeavesAStreamFreesItsPlace) {
  SimulatorOptions options;
  options.law.max_batch = 1;
  Start(std::move(options));
  PlainHttp leaver(port_);
  leaver.Send("POST", kChat, Chat(100000));
  leaver.ReadStart();
  EXPECT_EQ(Stat("running"), 1);
  leaver.Close();
  EXPECT_TRUE(Reaches("cancelled", 1));
  EXPECT_EQ(Post(Chat(2)).end, HttpEnd::kComplete);
  EXPECT_EQ(Stat("in_flight"), 0);
}

TEST_F(SimulatorServerTest, ClientThatLeavesTheQueueIsForgotten) {
  SimulatorOptions options;
  options.law.max_batch = 1;
  Start(std::move(options));
  PlainHttp first(port_), waiting(port_);
  first.Send("POST", kChat, Chat(100000));
  first.ReadStart();
  waiting.Send("POST", kChat, Chat(5, ""));
  EXPECT_TRUE(Reaches("waiting", 1));
  waiting.Close();
  EXPECT_TRUE(Reaches("waiting", 0));
  EXPECT_EQ(Stat("cancelled"), 1);
}

TEST_F(SimulatorServerTest, StatsCountWhatWasSeenUntilReset) {
  Start();
  Post(Chat(4));
  PlainHttp client(port_);
  const std::string before = client.Get("/simulator/stats").body();
  EXPECT_EQ(JsonNumber(before, "tokens"), 4);
  EXPECT_EQ(JsonNumber(before, "prompt_tokens"), 10);
  EXPECT_EQ(JsonNumber(before, kChat), 1);
  EXPECT_EQ(JsonNumber(before, "in_flight_max"), 1);
  client.Post("/simulator/stats/reset", "");
  EXPECT_EQ(JsonNumber(client.Get("/simulator/stats").body(), "tokens"), 0);
}

TEST_F(SimulatorServerTest, FixedDelaysHoldForEachStream) {
  SimulatorOptions options;
  options.fixed_delays = {40, 5};
  Start(std::move(options));
  PlainHttp client(port_);
  const auto sent = std::chrono::steady_clock::now();
  client.Send("POST", kChat, Chat(11));
  const HttpResponse response = client.Read();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - sent;
  EXPECT_EQ(response.chunks.size(), 11u);
  EXPECT_GE(took.count(), 90);
}

TEST_F(SimulatorServerTest, FaultStatusAnswersWithRetryAfter) {
  StartWithFault("status:503@1");
  const HttpResponse response = Post(Chat(5));
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.head, HasSubstr("Retry-After: 1"));
  EXPECT_EQ(Stat("status"), 1);
}

TEST_F(SimulatorServerTest, FaultCutEndsInsideTheBody) {
  StartWithFault("cut@1");
  const HttpResponse response = Post(Chat(50));
  EXPECT_EQ(response.end, HttpEnd::kFin);
  EXPECT_GE(response.chunks.size(), 1u);
  EXPECT_LT(response.chunks.size(), 50u);
}

TEST_F(SimulatorServerTest, FaultResetIsSeenAsReset) {
  StartWithFault("reset@1");
  const HttpResponse response = Post(Chat(50));
  EXPECT_EQ(response.end, HttpEnd::kReset);
  EXPECT_GE(response.chunks.size(), 1u);
}

TEST_F(SimulatorServerTest, FaultErrorComesInBand) {
  StartWithFault("error@1");
  const HttpResponse response = Post(Chat(50));
  EXPECT_EQ(response.end, HttpEnd::kComplete);
  EXPECT_THAT(response.chunks.back(), HasSubstr("data: {\"error\":{"));
}

TEST_F(SimulatorServerTest, FaultStallIsSilentAndHoldsNoPlace) {
  StartWithFault("stall@1");
  PlainHttp client(port_, 300);
  client.Send("POST", kChat, Chat(3));
  EXPECT_EQ(client.Read().end, HttpEnd::kTimeout);
  EXPECT_EQ(Stat("running"), 0);
  EXPECT_EQ(Stat("in_flight"), 1);
  client.Close();
  EXPECT_TRUE(Reaches("in_flight", 0));
}

TEST_F(SimulatorServerTest, FaultSlowFirstDelaysTheFirstToken) {
  StartWithFault("slow_first:150@1");
  const auto sent = std::chrono::steady_clock::now();
  EXPECT_EQ(Post(Chat(2)).chunks.size(), 2u);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - sent;
  EXPECT_GE(took.count(), 150);
}

TEST_F(SimulatorServerTest, StopsWithStreamsOpen) {
  Start();
  PlainHttp client(port_);
  client.Send("POST", kChat, Chat(100000));
  client.ReadStart();
  simulator_.Stop();
  EXPECT_NE(client.Read().end, HttpEnd::kTimeout);
}

TEST_F(SimulatorServerTest, PortInUseIsRefusedWithTheAddress) {
  Start();
  SimulatorOptions options;
  options.port = port_;
  const absl::Status status = Simulator().Start(std::move(options)).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(std::to_string(port_)));
}

TEST_F(SimulatorServerTest, SecondStartIsRefused) {
  Start();
  EXPECT_TRUE(absl::IsFailedPrecondition(simulator_.Start({}).status()));
}

}  // namespace
}  // namespace tidemark
