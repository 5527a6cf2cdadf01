// The control path's client over real sockets.
#include "common/http_client/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "absl/strings/str_cat.h"
#include "simulator/simulator.h"
#include "tests/support/loopback_server.h"
#include "tests/support/test_certificate.h"

namespace tidemark {
namespace {

using testing::ClosedPort;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::LoopbackServer;
using ::testing::Not;
using testing::TestCertificate;

LoopbackServer::Handler Always(const std::string& bytes) {
  return [bytes](const LoopbackServer::Request&) { return LoopbackServer::Reply{bytes, false, 0}; };
}

HttpOptions Quick() {
  HttpOptions options;
  options.connect_timeout_ms = 2'000;
  options.total_timeout_ms = 5'000;
  return options;
}

absl::StatusOr<HttpResponse> Get(const std::string& url, const HttpOptions& options = Quick()) {
  return HttpGet(url, {}, options);
}

TEST(HttpClient, ReturnsStatusHeadersAndBody) {
  LoopbackServer server(Always(HttpReply(200, "{}", "X-One: 1\r\nServer: tide \r\n")));
  const auto response = Get(server.Url("/v1/models"));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "{}");
  EXPECT_EQ(response->Header("x-one"), "1");
  EXPECT_EQ(response->Header("SERVER"), "tide");
  EXPECT_EQ(response->Header("absent"), "");
  EXPECT_EQ(response->address, absl::StrCat("127.0.0.1:", server.port()));
  EXPECT_EQ(response->tls_version, "");
}

TEST(HttpClient, GoesToTheAddressesItIsGivenInsteadOfTheResolvers) {
  LoopbackServer server(Always(HttpReply(200, "")));
  HttpOptions options = Quick();
  options.addresses = {absl::StrCat("127.0.0.1:", server.port())};
  const auto response = Get(absl::StrCat("http://No-Such-Host.invalid:", server.port(), "/"), options);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->address, options.addresses[0]);
}

TEST(HttpClient, TakesAnErrorStatusForAnAnswer) {
  LoopbackServer server(Always(HttpReply(503, "busy")));
  const auto response = Get(server.Url());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(response->body, "busy");
}

TEST(HttpClient, FollowsNoRedirect) {
  LoopbackServer server(Always(HttpReply(302, "", "Location: /elsewhere\r\n")));
  const auto response = Get(server.Url());
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(server.Requests().size(), 1u);
}

TEST(HttpClient, SendsTheGivenHeaders) {
  LoopbackServer server(Always(HttpReply(200, "")));
  ASSERT_TRUE(HttpGet(server.Url("/p?q=1"), {"Authorization: Bearer k"}, Quick()).ok());
  const LoopbackServer::Request request = server.Requests().at(0);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/p?q=1");
  EXPECT_THAT(request.head, HasSubstr("Authorization: Bearer k\r\n"));
}

TEST(HttpClient, LeavesTheEnvironmentsProxyOut) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  LoopbackServer server(Always(HttpReply(200, "")));
  EXPECT_TRUE(Get(server.Url()).ok());
  unsetenv("http_proxy");
}

TEST(HttpClient, LeavesInterimResponsesOut) {
  LoopbackServer server(
      Always("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" + HttpReply(200, "late")));
  const auto response = Get(server.Url());
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->Header("X-Early"), "");
}

TEST(HttpClient, NamesARefusedConnection) {
  const absl::Status status = Get(absl::StrCat("http://127.0.0.1:", ClosedPort())).status();
  EXPECT_EQ(HttpFailureOf(status), "connect");
  EXPECT_TRUE(absl::IsUnavailable(status));
}

TEST(HttpClient, NamesAHostThatIsNotThere) {
  EXPECT_EQ(HttpFailureOf(Get("http://no-such-host.invalid/").status()), "dns");
}

TEST(HttpClient, NamesAReset) {
  LoopbackServer server([](const LoopbackServer::Request&) {
    return LoopbackServer::Reply{"", true, 0};
  });
  EXPECT_EQ(HttpFailureOf(Get(server.Url()).status()), "connection_reset");
}

TEST(HttpClient, EndsAtTheTotalLimit) {
  LoopbackServer server([](const LoopbackServer::Request&) {
    return LoopbackServer::Reply{"", false, 10'000};
  });
  HttpOptions options = Quick();
  options.total_timeout_ms = 100;
  const absl::Status status = Get(server.Url(), options).status();
  EXPECT_EQ(HttpFailureOf(status), "timeout_total");
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
}

TEST(HttpClient, EndsWhenCancelled) {
  LoopbackServer server([](const LoopbackServer::Request&) {
    return LoopbackServer::Reply{"", false, 10'000};
  });
  HttpOptions options = Quick();
  options.cancelled = [] { return true; };
  EXPECT_TRUE(absl::IsCancelled(Get(server.Url(), options).status()));
}

TEST(HttpClient, RefusesALongerBodyThanAllowed) {
  LoopbackServer server(Always(HttpReply(200, std::string(1001, 'x'))));
  HttpOptions options = Quick();
  options.max_body_bytes = 1000;
  const absl::Status status = Get(server.Url(), options).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("1000 bytes"));
}

TEST(HttpClient, TakesABodyOfTheAllowedLength) {
  LoopbackServer server(Always(HttpReply(200, std::string(1000, 'x'))));
  HttpOptions options = Quick();
  options.max_body_bytes = 1000;
  EXPECT_TRUE(Get(server.Url(), options).ok());
}

TEST(HttpClient, RefusesOtherProtocols) {
  EXPECT_TRUE(absl::IsInvalidArgument(Get("file:///etc/hostname").status()));
}

TEST(HttpClient, RefusesAHeaderOfTwoLinesWithoutRepeatingIt) {
  const absl::Status status =
      HttpGet("http://127.0.0.1:1", {"A: 1", "B: secret\r\nC: 2"}, Quick()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("headers[1]"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
}

class HttpClientTlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SimulatorOptions options;
    options.tls_cert = certificate_.cert();
    options.tls_key = certificate_.key();
    ASSERT_TRUE(simulator_.Start(options).ok());
  }

  TestCertificate certificate_{::testing::TempDir(), "http_client"};
  Simulator simulator_;
};

TEST_F(HttpClientTlsTest, TrustsTheGivenCa) {
  HttpOptions options = Quick();
  options.ca_cert = certificate_.cert();
  const auto response = Get(simulator_.url() + "/health", options);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->tls_version, "TLSv1.3");
}

TEST_F(HttpClientTlsTest, RefusesAnUnknownCertificate) {
  const absl::Status status = Get(simulator_.url() + "/health").status();
  EXPECT_EQ(HttpFailureOf(status), "tls");
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
}

TEST_F(HttpClientTlsTest, TakesAnyCertificateWhenToldTo) {
  HttpOptions options = Quick();
  options.insecure_skip_verify = true;
  EXPECT_TRUE(Get(simulator_.url() + "/health", options).ok());
}

TEST(HttpClient, NamesItsLibrary) { EXPECT_THAT(CurlVersion(), HasSubstr("libcurl/")); }

}  // namespace
}  // namespace tidemark
