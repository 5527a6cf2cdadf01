#include "agent/engine/single_request.h"

#include "agent/engine/target_setup.h"

#include "tests/integration/agent_engine/stream_reply.h"

namespace tidemark {
namespace {

class SingleRequestTest : public ::testing::Test {
 protected:
  absl::StatusOr<SingleResult> Run(const std::string& url) {
    request_.endpoint.urls = {url};
    request_.prompt = "say three";
    request_.output_tokens = 3;
    request_.keep_output = true;
    return RunSingleRequest(request_, access_, &RealClock());
  }
  SingleRequest request_;
  TargetAccess access_;
};

TEST_F(SingleRequestTest, GivesRecordAndOutput) {
  ScriptedServer server([](int, int, const std::string&) { return StreamReply(1); });
  const auto result = Run(server.url());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->record.ok()) << result->detail;
  EXPECT_EQ(result->output, "aaa");
  EXPECT_EQ(OutputSequenceLength(result->record), 3u);
  EXPECT_EQ(result->record.address, server.address());
}

TEST_F(SingleRequestTest, ADeadPortIsOfClassConnectWithWords) {
  std::string url;
  {
    ScriptedServer server([](int, int, const std::string&) { return StreamReply(1); });
    url = server.url();
  }
  const auto result = Run(url);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->record.failure, FailureClass::kConnect);
  EXPECT_NE(result->detail, "");
}

TEST_F(SingleRequestTest, ANameWithoutAddressIsOfClassDns) {
  const auto result = Run("http://no-such-host.invalid/");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->record.failure, FailureClass::kDns);
  EXPECT_NE(result->detail.find("no-such-host.invalid"), std::string::npos);
}

TEST_F(SingleRequestTest, TheTotalLimitBoundsIt) {
  ScriptedServer server([](int, int, const std::string&) {
    return std::vector<ServerStep>{ScriptedServer::Pause(2'000)};
  });
  request_.limits.total_ms = 50;
  const auto result = Run(server.url());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->record.failure, FailureClass::kTimeoutTotal);
}

TEST_F(SingleRequestTest, ItsTimesAreTheKernelsWhenTheThreadIsLate) {
  ScriptedServer server([](int, int, const std::string&) { return StreamReply(20); });
  int turns = 0;
  request_.cancelled = [&turns] {
    if (++turns == 2) SleepFor(60 * kNanosPerMilli);
    return false;
  };
  const auto result = Run(server.url());
  ASSERT_TRUE(result.ok());
  // The server notes a time after what it sent may have come: a head, then three tokens.
  for (int i = 0; i < 1'000 && server.send_times().size() < 4; ++i) SleepFor(kNanosPerMilli);
  const std::vector<ScriptedServer::SendTime> sends = server.send_times();
  ASSERT_EQ(sends.size(), 4u);
  EXPECT_GE(result->record.first_token, sends[1].before - 10 * kNanosPerMicro);
  EXPECT_LE(result->record.first_token, sends[3].after + kNanosPerMilli);
  EXPECT_LE(result->record.first_token, result->record.last_token);
  EXPECT_LE(result->record.last_token, result->record.ended);
}

TEST_F(SingleRequestTest, SendsTheKeyAsBearer) {
  std::string head;
  ScriptedServer server([&](int, int, const std::string& text) {
    head = text;
    return StreamReply(1);
  });
  request_.endpoint.api_key_env = "KEY";
  access_.secret = [](const std::string& name, const SecretDestination&) { return name == "KEY" ? "s3cret" : ""; };
  ASSERT_TRUE(Run(server.url()).ok());
  EXPECT_NE(head.find("Authorization: Bearer s3cret\r\n"), std::string::npos) << head;
}

TEST_F(SingleRequestTest, AKeyMustBeAllowedForEveryHost) {
  request_.endpoint.api_key_env = "KEY";
  access_.secret = [](const std::string&, const SecretDestination& to) -> absl::StatusOr<std::string> {
    if (to.host == "localhost") return absl::PermissionDeniedError("not for localhost");
    return "s3cret";
  };
  request_.endpoint.urls = {"http://127.0.0.1:1/", "http://localhost:1/"};
  const auto transport = SetUpTransport(request_.endpoint, request_.limits, access_);
  EXPECT_EQ(transport.status().message(), "not for localhost");
}

TEST_F(SingleRequestTest, AKeyIsUnprotectedOverHttpAndWithoutVerification) {
  request_.endpoint.api_key_env = "KEY";
  std::vector<bool> unprotected;
  access_.secret = [&unprotected](const std::string&, const SecretDestination& to) {
    unprotected.push_back(to.unprotected);
    return "s3cret";
  };
  request_.endpoint.urls = {"http://127.0.0.1:1/", "https://127.0.0.1:1/"};
  ASSERT_TRUE(KeyFor(request_.endpoint, access_).ok());
  request_.endpoint.insecure_skip_verify = true;
  ASSERT_TRUE(KeyFor(request_.endpoint, access_).ok());
  EXPECT_EQ(unprotected, std::vector<bool>({true, false, true, true}));
}

TEST_F(SingleRequestTest, NothingIsSentToAnAddressThatIsNotAllowed) {
  ScriptedServer server([](int, int, const std::string&) { return StreamReply(1); });
  access_.address = [](const std::string& host, const std::string& ip, uint16_t) {
    return absl::FailedPreconditionError(absl::StrCat(host, " is ", ip));
  };
  // "localhost" has addresses of both families here or there: which one takes connections is not tried either.
  const auto result = Run(absl::StrCat("http://localhost:", server.address().substr(server.address().rfind(':') + 1), "/"));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(SingleRequestTest, AKeyThatIsNotAllowedIsRefused) {
  request_.endpoint.api_key_env = "KEY";
  EXPECT_EQ(Run("http://127.0.0.1:1/").status().code(), absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace tidemark
