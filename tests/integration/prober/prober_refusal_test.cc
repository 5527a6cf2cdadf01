// Refusals: each with its address, reason and hint.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "agent/session/secret_source.h"
#include "agent/session/target_policy.h"
#include "tests/integration/prober/probe_fixture.h"
#include "tests/support/test_certificate.h"

namespace tidemark {
namespace {

using testing::ClosedPort;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::LoopbackServer;
using ::testing::Not;
using testing::ProbeFixture;
using testing::TestCertificate;

using Request = LoopbackServer::Request;
using Reply = LoopbackServer::Reply;

class ProberRefusal : public ProbeFixture {
 protected:
  void StartTls() {
    SimulatorOptions options;
    options.tls_cert = certificate_.cert();
    options.tls_key = certificate_.key();
    StartSimulator(options);
  }

  TestCertificate certificate_{::testing::TempDir(), "prober_refusal"};
};

TEST_F(ProberRefusal, DeadUrl) {
  TargetHost(ClosedPort());
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "connect");
  EXPECT_THAT(failure.url(), HasSubstr("http://127.0.0.1:"));
  EXPECT_NE(failure.reason(), "");
  EXPECT_THAT(failure.hint(), HasSubstr("is the server up"));
}

TEST_F(ProberRefusal, DeadUrlOfANamedModel) {
  TargetHost(ClosedPort());
  task_.endpoint.model = "m";
  EXPECT_EQ(Refusal().failure_class(), "connect");
}

TEST_F(ProberRefusal, UnknownHost) {
  Target("http://no-such-host.invalid:8000");
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "dns");
  EXPECT_THAT(failure.reason(), HasSubstr("no-such-host.invalid"));
  EXPECT_THAT(failure.hint(), HasSubstr("host name"));
}

TEST_F(ProberRefusal, SeveralModels) {
  SimulatorOptions options;
  options.models = {"a", "b"};
  StartSimulator(options);
  const v1::Probed probed = Probe();
  EXPECT_TRUE(probed.failure().refusal());
  EXPECT_EQ(probed.failure().failure_class(), "model");
  EXPECT_THAT(probed.models(), ElementsAre("a", "b"));
  EXPECT_THAT(probed.failure().hint(), HasSubstr("--model: a, b"));
  EXPECT_EQ(probed.requests(), 0u);
}

TEST_F(ProberRefusal, UnknownModelWithTheListOfThoseServed) {
  StartSimulator();
  task_.endpoint.model = "other";
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.status(), 404);
  EXPECT_THAT(failure.excerpt(), HasSubstr("The model `other` does not exist"));
  EXPECT_THAT(failure.hint(), HasSubstr("--model: tidemark-sim"));
}

TEST_F(ProberRefusal, AHeaderWithoutEndIsNoLackOfMemory) {
  LoopbackServer server([](const Request&) {
    return Reply{absl::StrCat("HTTP/1.1 200 OK\r\nX-Long: ", std::string(400'000, 'x')), false, 0};
  });
  TargetHost(server.port());
  task_.endpoint.model = "m";
  const v1::ProbeFailure failure = Probe().failure();
  EXPECT_THAT(failure.reason(), HasSubstr("a header of the answer is longer than 100 KB")) << failure.DebugString();
}

TEST_F(ProberRefusal, BaseModel) {
  SimulatorOptions options;
  options.base_models = {"base"};
  StartSimulator(options);
  task_.endpoint.model = "base";
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "http_400");
  EXPECT_THAT(failure.hint(), HasSubstr("--api openai-completions"));
}

TEST_F(ProberRefusal, NoKey) {
  SimulatorOptions options;
  options.required_key = "right";
  StartSimulator(options);
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.status(), 401);
  EXPECT_THAT(failure.url(), HasSubstr("127.0.0.1"));
  EXPECT_THAT(failure.hint(), HasSubstr("--api-key-env"));
}

TEST_F(ProberRefusal, UnsetKey) {
  StartSimulator();
  task_.endpoint.api_key_env = "MY_KEY";
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "credentials");
  EXPECT_THAT(failure.hint(), HasSubstr("set MY_KEY"));
}

TEST_F(ProberRefusal, WrongKey) {
  SimulatorOptions options;
  options.required_key = "right";
  StartSimulator(options);
  task_.endpoint.model = "tidemark-sim";
  task_.endpoint.api_key_env = "MY_KEY";
  options_.access.secret = [](const std::string&, const SecretDestination&) { return "wrong"; };
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "http_401");
  EXPECT_THAT(failure.hint(), HasSubstr("did not accept the key in MY_KEY"));
}

// What a cluster's agent has: the real sources.
TEST_F(ProberRefusal, KeyOfAnotherHost) {
  LoopbackServer server([](const Request&) { return Reply{HttpReply(200, "{}"), false, 0}; });
  TargetHost(server.port());
  task_.endpoint.api_key_env = "MY_KEY";
  SecretReader reader = RealSecretReader();
  reader.env = [](const std::string&) { return "s3cret"; };
  const absl::StatusOr<SecretSource> secrets = SecretSource::Create({"", {"MY_KEY@api.example"}}, reader);
  ASSERT_TRUE(secrets.ok());
  options_.access.secret = [&secrets](const std::string& name, const SecretDestination& to) {
    return secrets->Resolve(name, to.host, to.port, to.unprotected);
  };
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "credentials");
  EXPECT_THAT(failure.reason(), HasSubstr("to api.example only, not to 127.0.0.1"));
  EXPECT_THAT(failure.DebugString(), Not(HasSubstr("s3cret")));
  EXPECT_TRUE(server.Requests().empty());
}

TEST_F(ProberRefusal, TargetThatIsNotAllowed) {
  LoopbackServer server([](const Request&) { return Reply{HttpReply(200, "{}"), false, 0}; });
  Target(absl::StrCat("http://localhost:", server.port()));
  const absl::StatusOr<TargetPolicy> policy = TargetPolicy::Create({"10.0.0.0/8", "vllm:8000"});
  ASSERT_TRUE(policy.ok());
  options_.access.address = [&policy](const std::string& host, const std::string& ip, uint16_t port) {
    return policy->Check(host, ip, port);
  };
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "configuration");
  EXPECT_THAT(failure.reason(), HasSubstr(absl::StrCat("target localhost:", server.port())));
  EXPECT_THAT(failure.reason(), HasSubstr("--allow-target"));
  EXPECT_TRUE(server.Requests().empty());
}

TEST_F(ProberRefusal, NeverRepeatsTheKey) {
  LoopbackServer server([](const Request&) {
    return Reply{HttpReply(401, "Incorrect API key provided: s3cret"), false, 0};
  });
  TargetHost(server.port());
  task_.endpoint.api_key_env = "MY_KEY";
  options_.access.secret = [](const std::string&, const SecretDestination&) { return "s3cret"; };
  for (const char* model : {"", "m"}) {
    task_.endpoint.model = model;
    const std::string said = Probe().DebugString();
    EXPECT_THAT(said, HasSubstr("provided: <redacted>"));
    EXPECT_THAT(said, Not(HasSubstr("s3cret")));
  }
}

TEST_F(ProberRefusal, WrongPath) {
  StartSimulator();
  task_.endpoint.urls = {simulator_.url() + "/api/chat"};
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "http_404");
  EXPECT_THAT(failure.hint(), HasSubstr("path of --url"));
}

TEST_F(ProberRefusal, DoubledV1) {
  StartSimulator();
  task_.endpoint.model = "tidemark-sim";
  task_.endpoint.urls = {simulator_.url() + "/v1/v1/chat/completions"};
  EXPECT_THAT(Refusal().hint(), HasSubstr("/v1 is doubled"));
}

TEST_F(ProberRefusal, PathThatTakesNoPost) {
  StartSimulator();
  task_.endpoint.model = "tidemark-sim";
  task_.endpoint.urls = {simulator_.url() + "/v1/models"};
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "http_405");
  EXPECT_THAT(failure.hint(), HasSubstr("POST"));
}

TEST_F(ProberRefusal, Redirect) {
  LoopbackServer server([](const Request&) {
    return Reply{HttpReply(301, "", "Location: https://elsewhere/\r\n"), false, 0};
  });
  TargetHost(server.port());
  EXPECT_THAT(Refusal().hint(), HasSubstr("redirects are not followed"));
}

TEST_F(ProberRefusal, ContextTooShort) {
  LoopbackServer server([](const Request& request) {
    return Reply{request.method == "GET"
                     ? HttpReply(404, "")
                     : HttpReply(400, "This model's maximum context length is 128 tokens"),
                 false, 0};
  });
  TargetHost(server.port());
  const v1::Probed probed = Probe();
  EXPECT_TRUE(probed.failure().refusal());
  EXPECT_THAT(probed.failure().hint(), HasSubstr("lower --isl (200) or --osl (8)"));
  EXPECT_EQ(probed.requests(), 2u);  // once more without ignore_eos
}

TEST_F(ProberRefusal, UnknownCertificate) {
  StartTls();
  const v1::ProbeFailure failure = Refusal();
  EXPECT_EQ(failure.failure_class(), "tls");
  EXPECT_THAT(failure.hint(), HasSubstr("--ca-cert"));
  EXPECT_THAT(failure.hint(), HasSubstr("--insecure"));
}

TEST_F(ProberRefusal, HttpsToAPlainPort) {
  StartSimulator();
  Target("https" + simulator_.url().substr(4));
  for (const char* model : {"", "tidemark-sim"}) {
    task_.endpoint.model = model;
    const v1::ProbeFailure failure = Refusal();
    EXPECT_EQ(failure.failure_class(), "tls");
    EXPECT_THAT(failure.hint(), HasSubstr("http://")) << failure.reason();
  }
}

TEST_F(ProberRefusal, UnreadableCaFile) {
  StartTls();
  task_.endpoint.ca_cert = "/no/such/ca.pem";
  task_.endpoint.model = "tidemark-sim";
  EXPECT_THAT(Refusal().reason(), HasSubstr("/no/such/ca.pem"));
}

// Not a refusal, for resets are what a loaded server gives; but the hint is there.
TEST_F(ProberRefusal, PlainHttpToATlsPortSuspectsTls) {
  StartTls();
  Target("http" + simulator_.url().substr(5));
  task_.endpoint.model = "tidemark-sim";
  EXPECT_THAT(Probe().failure().hint(), HasSubstr("https://"));
}

}  // namespace
}  // namespace tidemark
