// What the probe finds out, over real sockets.
#include <gmock/gmock.h>

#include <atomic>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "tests/integration/prober/probe_fixture.h"
#include "tests/support/test_certificate.h"

namespace tidemark {
namespace {

using testing::ClosedPort;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::LoopbackServer;
using testing::ProbeFixture;
using testing::Prompt;
using testing::PromptWords;
using testing::StreamReply;
using testing::TestCertificate;

using Request = LoopbackServer::Request;
using Reply = LoopbackServer::Reply;

class Prober : public ProbeFixture {};

TEST_F(Prober, FindsTheOnlyModel) {
  StartSimulator();
  EXPECT_EQ(Probe().model(), "tidemark-sim");
}

TEST_F(Prober, KeepsTheModelThatIsNamed) {
  SimulatorOptions options;
  options.models = {"a", "b"};
  StartSimulator(options);
  task_.endpoint.model = "b";
  const v1::Probed probed = Probe();
  EXPECT_EQ(probed.model(), "b");
  EXPECT_FALSE(probed.has_failure()) << probed.ShortDebugString();
}

TEST_F(Prober, RecoversTheTemplateAndTheTokensAWord) {
  SimulatorOptions options;
  options.template_tokens = 23;
  StartSimulator(options);
  const v1::Probed probed = Probe();
  ASSERT_TRUE(probed.calibrated()) << probed.ShortDebugString();
  EXPECT_NEAR(probed.calibration().intercept(), 23, 1e-9);
  EXPECT_NEAR(probed.calibration().slope(), 1, 1e-9);
  EXPECT_EQ(probed.warnings_size(), 0) << probed.ShortDebugString();
}

TEST_F(Prober, CountsWhatItCost) {
  StartSimulator();
  const v1::Probed probed = Probe();
  EXPECT_EQ(probed.requests(), 4u);
  EXPECT_EQ(probed.output_tokens(), 3u + 8u);
  // 16, 100 and 193 words and the template's 7 each, and the real one's 200.
  EXPECT_EQ(probed.input_tokens(), 16u + 100 + 193 + 3 * 7 + 200);
}

TEST_F(Prober, TellsOfTheRealRequest) {
  SimulatorOptions options;
  options.fixed_delays = FixedDelays{1, 20};  // tokens far enough apart to come in reads of their own
  StartSimulator(options);
  const v1::Probed probed = Probe();
  EXPECT_EQ(probed.status(), 200);
  EXPECT_THAT(probed.server(), HasSubstr("tidemark-sim/"));
  EXPECT_GE(probed.time_to_first_token_us(), 900u);
  EXPECT_GT(probed.latency_us(), probed.time_to_first_token_us());
  EXPECT_TRUE(probed.fixed_output_length());
  EXPECT_EQ(probed.tls_version(), "");
  EXPECT_FALSE(probed.has_failure());
}

TEST_F(Prober, NamesTheVersionOfTls) {
  const TestCertificate certificate(::testing::TempDir(), "prober_tls");
  SimulatorOptions options;
  options.tls_cert = certificate.cert();
  options.tls_key = certificate.key();
  StartSimulator(options);
  task_.endpoint.ca_cert = certificate.cert();
  task_.workload.streaming = false;
  const v1::Probed probed = Probe();
  EXPECT_FALSE(probed.has_failure()) << probed.ShortDebugString();
  EXPECT_EQ(probed.tls_version(), "TLSv1.3");
}

TEST_F(Prober, WorksWhereNothingStreams) {
  StartSimulator();
  task_.workload.streaming = false;
  const v1::Probed probed = Probe();
  EXPECT_TRUE(probed.calibrated()) << probed.ShortDebugString();
  EXPECT_FALSE(probed.has_failure());
}

TEST_F(Prober, SendsTheRealRequestAsTheLoad) {
  LoopbackServer server([](const Request& request) {
    return Reply{request.method == "GET"
                     ? HttpReply(404, "")
                     : StreamReply(absl::StrCat("{\"prompt_tokens\":", PromptWords(request) + 5,
                                                ",\"completion_tokens\":1}")),
                 false, 0};
  });
  TargetHost(server.port());
  task_.endpoint.headers = {{"X-Team", "a"}};
  task_.endpoint.api_key_env = "KEY";
  options_.access.secret = [](const std::string& name, const SecretDestination& to) {
    return name == "KEY" && to.host == "127.0.0.1" ? "s3cret" : "";
  };
  ASSERT_FALSE(Probe().has_failure());
  std::vector<Request> posts;
  std::set<std::string> prompts;
  for (const Request& request : server.Requests()) {
    EXPECT_THAT(request.head, HasSubstr("X-Team: a\r\n")) << request.path;
    EXPECT_THAT(request.head, HasSubstr("Authorization: Bearer s3cret\r\n")) << request.path;
    if (request.method == "POST") posts.push_back(request);
  }
  for (const Request& request : posts) prompts.insert(Prompt(request));
  ASSERT_EQ(posts.size(), 4u);
  EXPECT_EQ(prompts.size(), 4u);  // no prompt is sent twice
  EXPECT_EQ(PromptWords(posts[3]), 195);
  EXPECT_THAT(posts[3].body, HasSubstr("\"max_tokens\":8,\"min_tokens\":8,\"ignore_eos\":true"));
  EXPECT_THAT(posts[3].body, HasSubstr("\"stream\":true"));
}

TEST_F(Prober, DropsTheFixedLengthThatIsRefused) {
  LoopbackServer server([](const Request& request) {
    if (request.method == "GET") return Reply{HttpReply(404, ""), false, 0};
    const bool fixed = absl::StrContains(request.body, "ignore_eos");
    const std::string usage = absl::StrCat("{\"prompt_tokens\":", PromptWords(request), "}");
    return Reply{fixed ? HttpReply(400, "unknown field ignore_eos") : StreamReply(usage), false, 0};
  });
  TargetHost(server.port());
  const v1::Probed probed = Probe();
  EXPECT_FALSE(probed.has_failure()) << probed.ShortDebugString();
  EXPECT_FALSE(probed.fixed_output_length());
  EXPECT_TRUE(probed.calibrated());
  EXPECT_EQ(probed.requests(), 5u);  // the refusal is met once
  EXPECT_THAT(probed.warnings(), ElementsAre(HasSubstr("ignore_eos and min_tokens")));
}

TEST_F(Prober, TakesAWordForATokenWithoutUsage) {
  LoopbackServer server([](const Request& request) {
    return Reply{request.method == "GET" ? HttpReply(404, "") : StreamReply(""), false, 0};
  });
  TargetHost(server.port());
  const v1::Probed probed = Probe();
  EXPECT_FALSE(probed.calibrated());
  EXPECT_EQ(probed.calibration().slope(), 1);
  EXPECT_EQ(probed.calibration().intercept(), 0);
  EXPECT_FALSE(probed.has_failure());
  EXPECT_THAT(probed.warnings(), ElementsAre(HasSubstr("usage.prompt_tokens")));
}

// llama.cpp's server: the only token was the first half of a character.
TEST_F(Prober, CalibratesOnAnswersWithoutText) {
  LoopbackServer server([](const Request& request) {
    if (request.method == "GET") return Reply{HttpReply(404, ""), false, 0};
    const std::string usage = absl::StrCat("{\"prompt_tokens\":", PromptWords(request), ",\"completion_tokens\":1}");
    if (!absl::StrContains(request.body, "\"max_tokens\":1,")) return Reply{StreamReply(usage), false, 0};
    return Reply{HttpReply(200,
                           absl::StrCat("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n"
                                        "data: {\"choices\":[],\"usage\":", usage, "}\n\ndata: [DONE]\n\n"),
                           "Content-Type: text/event-stream\r\n"),
                 false, 0};
  });
  TargetHost(server.port());
  const v1::Probed probed = Probe();
  EXPECT_TRUE(probed.calibrated()) << probed.ShortDebugString();
  EXPECT_EQ(probed.requests(), 4u);
  EXPECT_EQ(probed.output_tokens(), 3u + 1);
}

TEST_F(Prober, CalibratesWithoutStreamingWhereOnlyThatHasUsage) {
  LoopbackServer server([](const Request& request) {
    if (request.method == "GET") return Reply{HttpReply(404, ""), false, 0};
    if (absl::StrContains(request.body, "\"stream\":true")) return Reply{StreamReply(""), false, 0};
    return Reply{
        HttpReply(200, absl::StrCat("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},"
                                    "\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":",
                                    2 * PromptWords(request) + 3, ",\"completion_tokens\":1}}")),
        false, 0};
  });
  TargetHost(server.port());
  const v1::Probed probed = Probe();
  ASSERT_TRUE(probed.calibrated()) << probed.ShortDebugString();
  EXPECT_NEAR(probed.calibration().intercept(), 3, 1e-9);
  EXPECT_NEAR(probed.calibration().slope(), 2, 1e-9);
}

TEST_F(Prober, WarnsWhereTokensAreNotLinear) {
  LoopbackServer server([](const Request& request) {
    const int tokens = std::min(PromptWords(request), 120);  // a window that cuts the prompt
    return Reply{request.method == "GET"
                     ? HttpReply(404, "")
                     : StreamReply(absl::StrCat("{\"prompt_tokens\":", tokens, "}")),
                 false, 0};
  });
  TargetHost(server.port());
  EXPECT_THAT(Probe().warnings(), ElementsAre(HasSubstr("not linear")));
}

TEST_F(Prober, WarnsOfAContextThatIsTooShort) {
  LoopbackServer server([](const Request& request) {
    if (request.path == "/v1/models") {
      return Reply{HttpReply(200, R"({"data":[{"id":"m","max_model_len":100}]})"), false, 0};
    }
    if (request.path == "/version")
      return Reply{HttpReply(200, R"({"version":"0.9.1"})"), false, 0};
    return Reply{StreamReply(absl::StrCat("{\"prompt_tokens\":", PromptWords(request), "}")), false,
                 0};
  });
  TargetHost(server.port());
  const v1::Probed probed = Probe();
  EXPECT_THAT(probed.warnings(), ElementsAre(HasSubstr("max_model_len) is 100")));
  EXPECT_EQ(probed.server_version(), "0.9.1");
}

TEST_F(Prober, GoesOnWithWhatALoadedServerGives) {
  SimulatorOptions options;
  options.faults = {*ParseFault("status:503@1")};
  StartSimulator(options);
  const v1::Probed probed = Probe();
  EXPECT_FALSE(probed.failure().refusal());
  EXPECT_EQ(probed.failure().failure_class(), "http_503");
  EXPECT_EQ(probed.failure().status(), 503);
  EXPECT_THAT(probed.failure().excerpt(), HasSubstr("fault injected"));
  EXPECT_FALSE(probed.calibrated());
}

TEST_F(Prober, GoesOnWithABrokenStream) {
  SimulatorOptions options;
  options.faults = {*ParseFault("cut@1")};
  StartSimulator(options);
  task_.workload.output = {64, 0};
  const v1::Probed probed = Probe();
  EXPECT_FALSE(probed.failure().refusal()) << probed.ShortDebugString();
  EXPECT_EQ(probed.failure().failure_class(), "truncated");
}

TEST_F(Prober, CalibratesLaterWhenTheFirstRequestFailedInPassing) {
  std::atomic<int> posts{0};
  LoopbackServer server([&posts](const Request& request) {
    if (request.method == "GET") return Reply{HttpReply(404, ""), false, 0};
    if (posts++ == 0) return Reply{HttpReply(503, ""), false, 0};
    return Reply{StreamReply(absl::StrCat("{\"prompt_tokens\":", PromptWords(request), "}")), false,
                 0};
  });
  TargetHost(server.port());
  const v1::Probed probed = Probe();
  EXPECT_FALSE(probed.has_failure());
  EXPECT_TRUE(probed.calibrated());
}

TEST_F(Prober, WaitsForTheServerToComeUp) {
  const uint16_t port = ClosedPort();
  TargetHost(port);
  task_.wait_ready_ms = 20'000;
  const int64_t began = RealClock().MonotonicNanos();
  std::unique_ptr<LoopbackServer> server;
  std::atomic<int> posts{0};
  // Asked at least each second while it waits: the server starts then, and is loading at first.
  options_.cancelled = [&] {
    if (server == nullptr && RealClock().MonotonicNanos() - began > kNanosPerSecond / 2) {
      server = std::make_unique<LoopbackServer>(
          [&posts](const Request& request) {
            if (request.method == "GET")
              return Reply{HttpReply(200, R"({"data":[{"id":"m"}]})"), false, 0};
            if (posts++ == 0) return Reply{HttpReply(503, "loading"), false, 0};
            return Reply{
                StreamReply(absl::StrCat("{\"prompt_tokens\":", PromptWords(request), "}")), false,
                0};
          },
          port);
    }
    return false;
  };
  const v1::Probed probed = Probe();
  EXPECT_FALSE(probed.has_failure()) << probed.ShortDebugString();
  EXPECT_EQ(probed.model(), "m");
  EXPECT_GE(posts, 5);
}

TEST_F(Prober, StopsWaitingAtTheDeadline) {
  TargetHost(ClosedPort());
  task_.wait_ready_ms = 1'500;
  const int64_t began = RealClock().MonotonicNanos();
  EXPECT_EQ(Refusal().failure_class(), "connect");
  const int64_t took = RealClock().MonotonicNanos() - began;
  EXPECT_GE(took, kNanosPerSecond);  // tried again once
  EXPECT_LT(took, 5 * kNanosPerSecond);
}

TEST_F(Prober, EndsWhenTheProcessGoesDown) {
  LoopbackServer server([](const Request& request) {
    return Reply{request.method == "GET" ? HttpReply(404, "") : "", false, 10'000};
  });
  TargetHost(server.port());
  task_.endpoint.model = "m";
  options_.cancelled = [began = RealClock().MonotonicNanos()] {
    return RealClock().MonotonicNanos() - began > kNanosPerSecond / 5;
  };
  const int64_t began = RealClock().MonotonicNanos();
  EXPECT_EQ(Refusal().failure_class(), "cancelled");
  EXPECT_LT(RealClock().MonotonicNanos() - began, 4 * kNanosPerSecond);
}

}  // namespace
}  // namespace tidemark
