// The null endpoint over real sockets.
#include "simulator/null_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/send_log.h"
#include "tests/integration/simulator/plain_http.h"
#include "tests/support/process.h"

namespace tidemark {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::HttpEnd;
using testing::HttpResponse;
using testing::PlainHttp;
using testing::TemporaryFolder;

constexpr char kChat[] = "/v1/chat/completions";

std::string Tokens(uint32_t count) { return "{\"max_tokens\":" + std::to_string(count) + "}"; }

size_t TokenChunks(const HttpResponse& response) {
  return static_cast<size_t>(std::count_if(response.chunks.begin(), response.chunks.end(), [](const std::string& c) {
    return c.find("\"delta\"") != std::string::npos;
  }));
}

class NullEndpointTest : public ::testing::Test {
 protected:
  void Start(double first_ms, double gap_ms) {
    NullOptions options;
    options.first_token_ms = first_ms;
    options.inter_token_ms = gap_ms;
    options.send_log = folder_.File("send.log");
    const absl::StatusOr<int> port = endpoint_.Start(options);
    ASSERT_TRUE(port.ok()) << port.status();
    port_ = *port;
  }

  // Ends the endpoint, and gives what its log holds of one request.
  std::vector<SentEvent> SentOf(uint32_t connection, uint32_t request) {
    endpoint_.Stop();
    const SentEvents log = *ReadSendLog(folder_.File("send.log"));
    std::vector<SentEvent> events;
    for (const SentEvent& event : log.events) {
      if (event.connection == connection && event.request == request) events.push_back(event);
    }
    return events;
  }

  TemporaryFolder folder_;
  NullEndpoint endpoint_;
  int port_ = 0;
};

TEST_F(NullEndpointTest, StreamsAsManyChunksAsTokensAreAskedFor) {
  Start(0, 0);
  const HttpResponse response = PlainHttp(port_).Post(kChat, Tokens(5));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.end, HttpEnd::kComplete);
  EXPECT_EQ(TokenChunks(response), 5u);
  EXPECT_THAT(response.body(), HasSubstr("\"completion_tokens\":5"));
  EXPECT_THAT(response.body(), EndsWith("data: [DONE]\n\n"));
}

TEST_F(NullEndpointTest, CompletionsPathGetsTextChunks) {
  Start(0, 0);
  EXPECT_THAT(PlainHttp(port_).Post("/v1/completions", Tokens(2)).body(), HasSubstr("\"text\":\" "));
}

TEST_F(NullEndpointTest, SendsOnItsScheduleAndNeverEarly) {
  Start(30, 10);
  PlainHttp(port_).Post(kChat, Tokens(4));
  const std::vector<SentEvent> sent = SentOf(0, 0);
  ASSERT_EQ(sent.size(), 6u);  // the request, four tokens, the tail
  EXPECT_EQ(sent[0].event, kSentRequestRead);
  EXPECT_EQ(sent[0].detail, BodyKey(Tokens(4)));
  for (int64_t i = 0; i < 4; ++i) {
    const SentEvent& event = sent[static_cast<size_t>(i) + 1];
    EXPECT_EQ(event.event, i);
    const int64_t due = sent[0].time_ns + 30'000'000 + i * 10'000'000;
    EXPECT_GE(event.time_ns, due);
    EXPECT_EQ(event.detail, event.time_ns - due);
  }
  EXPECT_EQ(sent[5].event, kSentEnd);
}

TEST_F(NullEndpointTest, KeepsTheConnectionAndNumbersItsRequests) {
  Start(0, 0);
  PlainHttp client(port_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(client.Post(kChat, Tokens(2)).head, HasSubstr("(null 0." + std::to_string(i) + ")"));
  }
  EXPECT_EQ(SentOf(0, 2).size(), 4u);
}

TEST_F(NullEndpointTest, ClosesWhenAskedTo) {
  Start(0, 0);
  PlainHttp client(port_);
  client.Send("POST", kChat, Tokens(2), "Connection: close\r\n");
  EXPECT_EQ(client.Read().end, HttpEnd::kComplete);
  EXPECT_TRUE(client.ClosedByServer());
}

TEST_F(NullEndpointTest, BodyMayComeInPieces) {
  Start(0, 0);
  PlainHttp client(port_);
  const std::string text = "POST /x HTTP/1.1\r\nContent-Length: 16\r\n\r\n{\"max_tokens\":3}";
  for (const char c : text) {
    client.SendRaw(std::string(1, c));
    testing::PauseMs(1);
  }
  EXPECT_EQ(TokenChunks(client.Read()), 3u);
}

TEST_F(NullEndpointTest, RequestsSentTogetherAreAnsweredOneAfterTheOther) {
  Start(0, 0);
  PlainHttp client(port_);
  const std::string text = "POST /x HTTP/1.1\r\nContent-Length: 16\r\n\r\n{\"max_tokens\":3}";
  client.SendRaw(text + text + "GET /health HTTP/1.1\r\n\r\n");
  EXPECT_EQ(TokenChunks(client.Read()), 3u);
  EXPECT_EQ(TokenChunks(client.Read()), 3u);
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(NullEndpointTest, MalformedRequestsAreAnsweredWith400) {
  Start(0, 0);
  for (const char* text : {"nonsense\r\n\r\n", "POST /x HTTP/1.1\r\nContent-Length: many\r\n\r\n",
                           "POST /x HTTP/1.1\r\nContent-Length: 16\r\n\r\n{\"max_tokens\":0}"}) {
    PlainHttp client(port_);
    client.SendRaw(text);
    EXPECT_EQ(client.Read().status, 400) << text;
    EXPECT_TRUE(client.ClosedByServer()) << text;
  }
}

TEST_F(NullEndpointTest, SaysWhichModelItHasAndThatItIsHealthy) {
  Start(0, 0);
  PlainHttp client(port_);
  EXPECT_THAT(client.Get("/v1/models").body(), HasSubstr("\"tidemark-sim\""));
  EXPECT_EQ(client.Get("/health").status, 200);
  EXPECT_EQ(client.Get("/else").status, 404);
}

TEST_F(NullEndpointTest, ClientThatVanishesLeavesTheOthersAlone) {
  Start(20, 20);
  PlainHttp stays(port_);
  stays.Send("POST", kChat, Tokens(5));
  {
    PlainHttp leaves(port_);
    leaves.Send("POST", kChat, Tokens(1000));
    leaves.ReadStart();
  }
  EXPECT_EQ(TokenChunks(stays.Read()), 5u);
  EXPECT_EQ(TokenChunks(PlainHttp(port_).Post(kChat, Tokens(2))), 2u);
  EXPECT_LT(SentOf(1, 0).size(), 100u);
}

TEST_F(NullEndpointTest, ClientThatDoesNotReadGetsAllWhenItDoes) {
  Start(0, 0);
  PlainHttp client(port_);
  client.Send("POST", kChat, Tokens(60'000));  // 15 MB: more than the sockets hold
  testing::PauseMs(300);
  EXPECT_EQ(TokenChunks(PlainHttp(port_).Post(kChat, Tokens(2))), 2u);
  const HttpResponse response = client.Read();
  EXPECT_EQ(response.end, HttpEnd::kComplete);
  EXPECT_EQ(TokenChunks(response), 60'000u);
}

TEST(NullEndpoint, RefusesBadOptionsByName) {
  NullOptions small, late, address, log;
  small.event_bytes = 10;
  late.inter_token_ms = -1;
  address.host = "192.0.2.1";
  log.send_log = "/no/such/file";
  EXPECT_THAT(std::string(NullEndpoint().Start(small).status().message()), HasSubstr("event-bytes is 10"));
  EXPECT_THAT(std::string(NullEndpoint().Start(late).status().message()), HasSubstr("itl-ms is -1"));
  EXPECT_TRUE(absl::IsUnavailable(NullEndpoint().Start(address).status()));
  EXPECT_TRUE(absl::IsUnavailable(NullEndpoint().Start(log).status()));
}

TEST(NullEndpoint, StartsAgainAfterStop) {
  NullEndpoint endpoint;
  ASSERT_TRUE(endpoint.Start(NullOptions()).ok());
  EXPECT_EQ(endpoint.Start(NullOptions()).status().code(), absl::StatusCode::kFailedPrecondition);
  endpoint.Stop();
  const absl::StatusOr<int> port = endpoint.Start(NullOptions());
  ASSERT_TRUE(port.ok());
  EXPECT_EQ(PlainHttp(*port).Get("/health").status, 200);
}

}  // namespace
}  // namespace tidemark
