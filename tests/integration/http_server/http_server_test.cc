// The HTTP server over real sockets and real TLS, asked by libcurl and, where a request must be odd, by hand.
#include "common/http_server/http_server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/http_client/http_client.h"
#include "tests/integration/simulator/plain_http.h"
#include "tests/support/process.h"
#include "tests/support/test_certificate.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using testing::PlainHttp;
using testing::TestCertificate;

HttpAnswer Text(const std::string& text) {
  HttpAnswer answer;
  answer.body = text;
  return answer;
}

std::vector<HttpRoute> TwoRoutes() {
  return {{"/healthz", HttpAccess::kOpen, [] { return Text("alive\n"); }},
          {"/metrics", HttpAccess::kGuarded, [] { return Text("m 1\n"); }}};
}

HttpServerOptions Loopback() {
  HttpServerOptions options;
  options.listen = "127.0.0.1:0";
  return options;
}

bool IsLetMeIn(absl::string_view token) { return token == "let-me-in"; }

std::unique_ptr<HttpServer> Started(const HttpServerOptions& options, std::vector<HttpRoute> routes = TwoRoutes()) {
  absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(options, std::move(routes), &RealClock());
  EXPECT_TRUE(server.ok()) << server.status();
  return server.ok() ? *std::move(server) : nullptr;
}

absl::Status Refusal(const HttpServerOptions& options) {
  return HttpServer::Start(options, TwoRoutes(), &RealClock()).status();
}

// What a client shows of itself, and whom it trusts.
struct Client {
  HttpOptions options;
  std::vector<std::string> headers;
};

Client Plain(const std::string& token = "") {
  Client client;
  client.options.total_timeout_ms = 5'000;
  if (!token.empty()) client.headers.push_back("Authorization: Bearer " + token);
  return client;
}

Client Trusting(const TestCertificate& server, const std::string& token = "") {
  Client client = Plain(token);
  client.options.ca_cert = server.cert();
  return client;
}

Client Showing(const TestCertificate& own, const TestCertificate& server) {
  Client client = Trusting(server);
  client.options.client_cert = own.cert();
  client.options.client_key = own.key();
  return client;
}

absl::StatusOr<HttpResponse> Get(const HttpServer& server, const std::string& path, const Client& client,
                                 const std::string& scheme = "http") {
  return HttpGet(absl::StrCat(scheme, "://", server.address(), path), client.headers, client.options);
}

int StatusOf(const HttpServer& server, const std::string& path, const Client& client,
             const std::string& scheme = "http") {
  const auto response = Get(server, path, client, scheme);
  EXPECT_TRUE(response.ok()) << response.status();
  return response.ok() ? response->status : 0;
}

TEST(HttpServer, AnswersARouteWithStatusTypeAndBody) {
  const auto server = Started(Loopback(), {{"/x", HttpAccess::kOpen, [] {
                                              return HttpAnswer{503, "application/json", "{}"};
                                            }}});
  const auto response = Get(*server, "/x?query=1", Plain());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(response->Header("Content-Type"), "application/json");
  EXPECT_EQ(response->body, "{}");
}

TEST(HttpServer, AnswersALargeBodyWhole) {
  const std::string body(5 << 20, 'x');
  const auto server = Started(Loopback(), {{"/x", HttpAccess::kOpen, [&body] { return Text(body); }}});
  Client client = Plain();
  client.options.max_body_bytes = 8 << 20;
  const auto response = Get(*server, "/x", client);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, body);
}

TEST(HttpServer, KnowsNoOtherPath) {
  const auto server = Started(Loopback());
  EXPECT_EQ(StatusOf(*server, "/metrics/", Plain()), 404);
  EXPECT_EQ(StatusOf(*server, "/", Plain()), 404);
}

TEST(HttpServer, TakesGetAndHeadOnly) {
  const auto server = Started(Loopback());
  PlainHttp post(server->port());
  post.Send("POST", "/healthz", "{\"a\":1}");
  const testing::HttpResponse refused = post.Read();
  EXPECT_EQ(refused.status, 405);
  EXPECT_THAT(refused.head, HasSubstr("Allow: GET, HEAD"));
  PlainHttp head(server->port());
  head.Send("HEAD", "/healthz");
  const std::string answer = head.ReadPast("\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr(" 200 "));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 6\r\n"));
  EXPECT_THAT(answer, ::testing::EndsWith("\r\n\r\n"));
}

TEST(HttpServer, RefusesAnAddressThatIsTaken) {
  const auto first = Started(Loopback());
  HttpServerOptions second = Loopback();
  second.listen = first->address();
  const absl::Status refused = Refusal(second);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(refused.message(), absl::StrCat("cannot listen on ", first->address(), ": Address already in use"));
}

TEST(HttpServer, RefusesWhatIsNoAddress) {
  for (const char* listen : {"", "7080", "host:", "host:http", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80"}) {
    HttpServerOptions options = Loopback();
    options.listen = listen;
    const absl::Status refused = Refusal(options);
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << listen;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(absl::StrCat("\"", listen, "\"")));
  }
}

TEST(HttpServer, ListensOnEveryAddressWithoutAHost) {
  HttpServerOptions options = Loopback();
  options.listen = ":0";
  const auto server = Started(options);
  ASSERT_NE(server->port(), 0);
  const auto response = HttpGet(absl::StrCat("http://127.0.0.1:", server->port(), "/healthz"), {}, Plain().options);
  EXPECT_TRUE(response.ok()) << response.status();
}

TEST(PlaintextHttpServer, GuardsNothingWithoutATokenCheck) {
  const auto server = Started(Loopback());
  EXPECT_EQ(StatusOf(*server, "/metrics", Plain()), 200);
}

TEST(PlaintextHttpServer, WantsATokenWhereOneIsChecked) {
  HttpServerOptions options = Loopback();
  options.token_allowed = IsLetMeIn;
  const auto server = Started(options);
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200);
  EXPECT_EQ(StatusOf(*server, "/metrics", Plain("let-me-in")), 200);
  EXPECT_EQ(StatusOf(*server, "/metrics", Plain("let-me-out")), 401);
  const auto without = Get(*server, "/metrics", Plain());
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(without->status, 401);
  EXPECT_EQ(without->Header("WWW-Authenticate"), "Bearer realm=\"tidemark\"");
  EXPECT_THAT(without->body, ::testing::Not(HasSubstr("m 1")));
}

class TlsHttpServer : public ::testing::Test {
 protected:
  HttpServerOptions Tls() const {
    HttpServerOptions options = Loopback();
    options.tls = HttpServerTls{own_.cert(), own_.key(), ca_.cert()};
    return options;
  }

  const TestCertificate own_{::testing::TempDir(), "http_server_own"};
  const TestCertificate ca_{::testing::TempDir(), "http_server_ca"};  // also the client's: it signed itself
  const TestCertificate foreign_{::testing::TempDir(), "http_server_foreign"};
};

TEST_F(TlsHttpServer, AsksNobodyForACertificateOnAnOpenRoute) {
  const auto server = Started(Tls());
  const auto response = Get(*server, "/healthz", Trusting(own_), "https");
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->tls_version, "TLSv1.3");
}

TEST_F(TlsHttpServer, RefusesAGuardedRouteWithoutCredentials) {
  const auto server = Started(Tls());
  EXPECT_EQ(StatusOf(*server, "/metrics", Trusting(own_), "https"), 401);
  EXPECT_EQ(StatusOf(*server, "/metrics", Trusting(own_, "let-me-in"), "https"), 401) << "no token is allowed";
}

TEST_F(TlsHttpServer, LetsAVerifiedCertificateIn) {
  const auto server = Started(Tls());
  EXPECT_EQ(StatusOf(*server, "/metrics", Showing(ca_, own_), "https"), 200);
}

TEST_F(TlsHttpServer, LetsABearerTokenIn) {
  HttpServerOptions options = Tls();
  options.token_allowed = IsLetMeIn;
  const auto server = Started(options);
  EXPECT_EQ(StatusOf(*server, "/metrics", Trusting(own_, "let-me-in"), "https"), 200);
  EXPECT_EQ(StatusOf(*server, "/metrics", Trusting(own_, "let-me-out"), "https"), 401);
}

TEST_F(TlsHttpServer, RefusesACertificateOfAnotherCa) {
  const auto server = Started(Tls());
  EXPECT_FALSE(Get(*server, "/metrics", Showing(foreign_, own_), "https").ok());
  EXPECT_FALSE(Get(*server, "/healthz", Showing(foreign_, own_), "https").ok());
}

TEST_F(TlsHttpServer, SpeaksNoPlaintext) {
  const auto server = Started(Tls());
  EXPECT_FALSE(Get(*server, "/healthz", Plain(), "http").ok());
}

TEST_F(TlsHttpServer, ShowsANewCertificateToTheNextConnection) {
  const testing::TemporaryFolder folder;
  HttpServerOptions options = Tls();
  options.tls->cert = folder.Write("tls.crt", testing::ReadFile(own_.cert()));
  options.tls->key = folder.Write("tls.key", testing::ReadFile(own_.key()));
  const auto server = Started(options);
  EXPECT_EQ(StatusOf(*server, "/healthz", Trusting(own_), "https"), 200);
  folder.Write("tls.crt", testing::ReadFile(foreign_.cert()));
  EXPECT_EQ(StatusOf(*server, "/healthz", Trusting(own_), "https"), 200) << "the key is not there yet";
  folder.Write("tls.key", testing::ReadFile(foreign_.key()));
  EXPECT_EQ(StatusOf(*server, "/healthz", Trusting(foreign_), "https"), 200);
  EXPECT_FALSE(Get(*server, "/healthz", Trusting(own_), "https").ok());
}

TEST_F(TlsHttpServer, StopsTrustingACaThatWasReplaced) {
  const testing::TemporaryFolder folder;
  HttpServerOptions options = Tls();
  options.tls->ca = folder.Write("ca.crt", testing::ReadFile(ca_.cert()));
  const auto server = Started(options);
  EXPECT_EQ(StatusOf(*server, "/metrics", Showing(ca_, own_), "https"), 200);
  folder.Write("ca.crt", testing::ReadFile(foreign_.cert()));
  EXPECT_FALSE(Get(*server, "/metrics", Showing(ca_, own_), "https").ok());
  EXPECT_EQ(StatusOf(*server, "/metrics", Showing(foreign_, own_), "https"), 200);
}

TEST_F(TlsHttpServer, NamesTheFileThatIsNotFit) {
  HttpServerOptions options = Tls();
  options.tls->cert = "/nowhere/tls.crt";
  EXPECT_THAT(std::string(Refusal(options).message()), HasSubstr("certificate /nowhere/tls.crt: "));
  options = Tls();
  options.tls->key = foreign_.key();
  EXPECT_THAT(std::string(Refusal(options).message()), HasSubstr(absl::StrCat("key ", foreign_.key(), ": ")));
  options = Tls();
  options.tls->ca = own_.key();
  EXPECT_THAT(std::string(Refusal(options).message()), HasSubstr(absl::StrCat("CA ", own_.key(), ": ")));
}

TEST(HttpServerBounds, RefusesAHeadThatIsTooLarge) {
  HttpServerOptions options = Loopback();
  options.max_head_bytes = 2'000;
  const auto server = Started(options);
  PlainHttp client(server->port());
  client.Send("GET", "/healthz", "", absl::StrCat("X-Large: ", std::string(4'000, 'x'), "\r\n"));
  EXPECT_EQ(client.Read().status, 431);
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200);
}

TEST(HttpServerBounds, OutlivesHostileRanges) {
  const auto server = Started(Loopback());
  std::string ranges = "bytes=0-1";
  while (ranges.size() < 8'000) ranges += ",0-1";
  PlainHttp client(server->port());
  client.Send("GET", "/healthz", "", absl::StrCat("Range: ", ranges, "\r\n"));
  client.Read();
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200);
}

TEST(HttpServerBounds, LetsGoOfAClientThatSaysNothing) {
  HttpServerOptions options = Loopback();
  options.threads = 1;
  options.connection_timeout = kNanosPerSecond / 5;
  const auto server = Started(options);
  PlainHttp silent(server->port());
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200) << "the one thread came free";
  EXPECT_TRUE(silent.ClosedByServer());
}

// Each of them would hold a thread of a server that waits for its clients.
TEST(HttpServerBounds, SilentClientsDelayNobody) {
  HttpServerOptions options = Loopback();
  options.threads = 1;
  const auto server = Started(options);
  std::vector<std::unique_ptr<PlainHttp>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(std::make_unique<PlainHttp>(server->port()));
  const int64_t begun = testing::NowMs();
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200);
  EXPECT_LT(testing::NowMs() - begun, 3'000) << "not the connections' time-out, 10 s";
}

TEST(HttpServerBounds, ClientsThatDoNotReadDelayNobody) {
  HttpServerOptions options = Loopback();
  options.threads = 1;
  const std::string page(5 << 20, 'x');
  const auto server = Started(options, {{"/page", HttpAccess::kOpen, [&page] { return Text(page); }},
                                        {"/healthz", HttpAccess::kOpen, [] { return Text("alive\n"); }}});
  PlainHttp slow(server->port());
  slow.Send("GET", "/page");
  const int64_t begun = testing::NowMs();
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200);
  EXPECT_LT(testing::NowMs() - begun, 3'000);
}

TEST(HttpServerBounds, TheOldestSilentClientIsGivenUpForANewOne) {
  HttpServerOptions options = Loopback();
  options.max_connections = 3;
  const auto server = Started(options);
  std::vector<std::unique_ptr<PlainHttp>> silent;
  for (int i = 0; i < 3; ++i) silent.push_back(std::make_unique<PlainHttp>(server->port()));
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200);
  EXPECT_TRUE(silent[0]->ClosedByServer());
  silent[2]->Send("GET", "/healthz");
  EXPECT_EQ(silent[2]->Read().status, 200) << "the younger ones may still ask";
}

TEST(HttpServerBounds, WorksBeyondTheDescriptorsOfSelect) {
  const auto server = Started(Loopback());
  std::vector<int> taken;
  for (int i = 0; i < 1'100; ++i) taken.push_back(dup(0));
  if (*std::max_element(taken.begin(), taken.end()) < 1'024) GTEST_SKIP() << "the limit of descriptors is too low";
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200);
  for (const int fd : taken) close(fd);
}

TEST(HttpServerStop, EndsWaitingConnectionsAtOnce) {
  const auto server = Started(Loopback());
  PlainHttp silent(server->port());
  EXPECT_EQ(StatusOf(*server, "/healthz", Plain()), 200);
  const int64_t begun = testing::NowMs();
  server->Stop();
  EXPECT_LT(testing::NowMs() - begun, 2'000) << "not the connection's time-out";
  EXPECT_EQ(HttpFailureOf(Get(*server, "/healthz", Plain()).status()), "connect");
}

TEST(HttpServerStop, LetsAnAnswerUnderWayFinish) {
  std::atomic<bool> asked = false, stopping = false;
  const auto server = Started(Loopback(), {{"/slow", HttpAccess::kOpen, [&] {
                                              asked = true;
                                              testing::Eventually(5'000, [&] { return stopping.load(); });
                                              testing::PauseMs(50);
                                              return Text("whole");
                                            }}});
  PlainHttp client(server->port());
  client.Send("GET", "/slow");
  ASSERT_TRUE(testing::Eventually(5'000, [&] { return asked.load(); }));
  std::thread stop([&] {
    stopping = true;
    server->Stop();
  });
  EXPECT_EQ(client.Read().body(), "whole");
  stop.join();
}

}  // namespace
}  // namespace tidemark
