#include "agent/http/curl_transport.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/http/resolve.h"
#include "tests/support/scripted_server.h"

namespace tidemark {
namespace {

constexpr int64_t kBound = 10 * kNanosPerSecond;
using Steps = std::vector<ServerStep>;

Steps Whole(const std::string& body) {
  return {ScriptedServer::Send(absl::StrCat(
      ScriptedServer::ChunkedHead(), ScriptedServer::Chunk(body), ScriptedServer::Chunk("")))};
}

// Notes what happens to one request.
class Journal : public ResponseHandler {
 public:
  void OnResent(int64_t) override { text += "resent "; }
  void OnConnected(int64_t now, absl::string_view address) override {
    text += "connected ";
    connected_to = std::string(address);
    connected_at = now;
  }
  void OnTlsDone(int64_t, absl::string_view) override { text += "tls "; }
  void OnStatus(int status, int64_t) override { absl::StrAppend(&text, status, " "); }
  void OnHeader(absl::string_view, absl::string_view) override {}
  void OnHeadersEnd(int64_t) override {}
  bool OnBody(absl::string_view bytes, int64_t now, uint64_t read) override {
    body.append(bytes.data(), bytes.size());
    EXPECT_GE(now, last_at);
    if (read != last_read) ++reads;
    last_read = read;
    last_at = now;
    return !refuse;
  }
  void OnResponseEnd(bool clean, int64_t) override {
    text += clean ? "end" : "cut";
    ended = true;
  }
  void OnFailure(FailureClass failure, int64_t, absl::string_view why) override {
    text += FailureClassName(failure, 0);
    detail = std::string(why);
    ended = true;
  }

  bool refuse = false, ended = false;
  std::string text, body, detail, connected_to;
  uint64_t last_read = 0;
  int reads = 0;
  int64_t last_at = 0, connected_at = 0;
};

class CurlTransportTest : public ::testing::Test {
 protected:
  CurlTransportTest() : loop_(*EpollLoop::Create(&RealClock())) { options_.slots = 1; }

  void Serve(ScriptedServer::Reply reply) {
    server_ = std::make_unique<ScriptedServer>(std::move(reply));
    options_.targets = {*ResolveTarget(server_->url())};
    Open();
  }
  void Open() {
    auto transport = NewCurlTransport(options_, loop_.get());
    ASSERT_TRUE(transport.ok()) << transport.status();
    transport_ = *std::move(transport);
  }
  bool RunUntil(const std::function<bool()>& done) {
    return loop_->Run(done, loop_->FreshNow() + kBound);
  }
  void Post(Journal* journal, uint32_t slot = 0) {
    transport_->Send(slot, {0, 0, body_}, journal);
    EXPECT_TRUE(RunUntil([&] { return journal->ended; }));
  }
  std::string Outcome(ScriptedServer::Reply reply) {
    Serve(std::move(reply));
    Journal journal;
    Post(&journal);
    return journal.text;
  }

  std::string body_ = "{\"a\":1}";
  TransportOptions options_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<EpollLoop> loop_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(CurlTransportTest, DeliversAStreamedAnswer) {
  Serve([](int, int, const std::string&) { return Whole("hello"); });
  Journal journal;
  Post(&journal);
  EXPECT_EQ(journal.text, "connected 200 end");
  EXPECT_EQ(journal.body, "hello");
  EXPECT_EQ(journal.connected_to, server_->address());
}

TEST_F(CurlTransportTest, KeepsTheConnectionForTheNextRequest) {
  Serve([](int, int, const std::string&) { return Whole("x"); });
  for (int i = 0; i < 5; ++i) {
    Journal journal;
    Post(&journal);
    EXPECT_EQ(journal.text, i == 0 ? "connected 200 end" : "200 end");
  }
  EXPECT_EQ(server_->connections(), 1);
  EXPECT_EQ(transport_->counters().connections_opened, 1u);
}

TEST_F(CurlTransportTest, SendsThePlainHeadersAndNoExpect) {
  std::string head;
  options_.headers = {"X-Team: a", "accept: text/event-stream"};
  body_ = std::string(50'000, 'x');
  Serve([&](int, int, const std::string& text) {
    head = absl::AsciiStrToLower(text);
    return Whole("x");
  });
  Journal journal;
  Post(&journal);
  EXPECT_TRUE(absl::StartsWith(head, "post /v1/chat/completions http/1.1\r\n")) << head;
  for (const char* line :
       {"content-type: application/json\r\n", "accept-encoding: identity\r\n", "x-team: a\r\n",
        "accept: text/event-stream\r\n", "content-length: 50000\r\n"}) {
    EXPECT_TRUE(absl::StrContains(head, line)) << line << head;
  }
  EXPECT_FALSE(absl::StrContains(head, "expect:"));
  EXPECT_FALSE(absl::StrContains(head, "accept: */*"));
}

TEST_F(CurlTransportTest, BytesOfDifferentReadsHaveDifferentNumbers) {
  Serve([](int, int, const std::string&) {
    return Steps{ScriptedServer::Send(ScriptedServer::ChunkedHead() + ScriptedServer::Chunk("a") +
                                      ScriptedServer::Chunk("b")),
                 ScriptedServer::Pause(30), ScriptedServer::Send(ScriptedServer::Chunk("c")),
                 ScriptedServer::Pause(30), ScriptedServer::Send(ScriptedServer::Chunk(""))};
  });
  Journal journal;
  Post(&journal);
  EXPECT_EQ(journal.body, "abc");
  EXPECT_EQ(journal.reads, 2);
}

TEST_F(CurlTransportTest, AKeptConnectionThatTheServerClosedIsSentAgainOnce) {
  Serve([](int connection, int, const std::string&) {
    if (connection == 0) {
      static int requests_on_first = 0;
      if (++requests_on_first == 2) return Steps{ScriptedServer::Reset()};
    }
    return Whole("x");
  });
  Journal first, second;
  Post(&first);
  Post(&second);
  EXPECT_EQ(second.text, "resent connected 200 end");
  EXPECT_EQ(transport_->counters().reused_stale, 1u);
}

TEST_F(CurlTransportTest, AFreshConnectionClosedWithoutAnAnswerIsAReset) {
  EXPECT_EQ(Outcome([](int, int, const std::string&) { return Steps{ScriptedServer::Close()}; }),
            "connected connection_reset");
  EXPECT_EQ(server_->requests(), 1);
}

TEST_F(CurlTransportTest, AResetInsideTheBodyIsAReset) {
  EXPECT_EQ(Outcome([](int, int, const std::string&) {
              return Steps{
                  ScriptedServer::Send(ScriptedServer::ChunkedHead() + ScriptedServer::Chunk("a")),
                  ScriptedServer::Pause(30), ScriptedServer::Reset()};
            }),
            "connected 200 connection_reset");
}

TEST_F(CurlTransportTest, AnEndInsideTheChunksIsCut) {
  EXPECT_EQ(Outcome([](int, int, const std::string&) {
              return Steps{
                  ScriptedServer::Send(ScriptedServer::ChunkedHead() + ScriptedServer::Chunk("a")),
                  ScriptedServer::Close()};
            }),
            "connected 200 cut");
}

TEST_F(CurlTransportTest, AnEndBeforeTheContentLengthIsCut) {
  EXPECT_EQ(Outcome([](int, int, const std::string&) {
              return Steps{ScriptedServer::Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
                           ScriptedServer::Close()};
            }),
            "connected 200 cut");
}

TEST_F(CurlTransportTest, ABodyWithoutLengthEndsWithTheConnection) {
  EXPECT_EQ(
      Outcome([](int, int, const std::string&) {
        return Steps{ScriptedServer::Send("HTTP/1.1 200 OK\r\n\r\nabc"), ScriptedServer::Close()};
      }),
      "connected 200 end");
}

TEST_F(CurlTransportTest, ChunksThatAreNoneAreAProtocolError) {
  EXPECT_EQ(Outcome([](int, int, const std::string&) {
              return Steps{ScriptedServer::Send(ScriptedServer::ChunkedHead() + "zz\r\nabc\r\n"),
                           ScriptedServer::Pause(50)};
            }),
            "connected 200 protocol_error");
}

TEST_F(CurlTransportTest, AnAnswerThatIsNoHttpIsAProtocolError) {
  EXPECT_EQ(Outcome([](int, int, const std::string&) {
              return Steps{ScriptedServer::Send("SSH-2.0-OpenSSH\r\n")};
            }),
            "connected protocol_error");
}

TEST_F(CurlTransportTest, RedirectsAreNotFollowed) {
  EXPECT_EQ(Outcome([](int, int, const std::string&) {
              return Steps{ScriptedServer::Send(
                  "HTTP/1.1 307 X\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")};
            }),
            "connected 307 end");
}

TEST_F(CurlTransportTest, ARefusedConnectionIsOfClassConnectWithTheAddress) {
  Serve([](int, int, const std::string&) { return Whole("x"); });
  const std::string address = server_->address();
  server_.reset();
  Journal journal;
  Post(&journal);
  EXPECT_EQ(journal.text, "connect");
  EXPECT_TRUE(absl::StrContains(journal.detail, address)) << journal.detail;
}

TEST_F(CurlTransportTest, TlsToAPlainServerIsOfClassTls) {
  Serve([](int, int, const std::string&) { return Whole("x"); });
  options_.targets[0].url = absl::StrCat("https://", server_->address(), "/");
  options_.targets[0].tls = true;
  transport_.reset();
  Open();
  Journal journal;
  transport_->Send(0, {0, 0, body_}, &journal);
  // The plain server waits for a request that never comes: closing it ends the handshake.
  loop_->Run(nullptr, loop_->FreshNow() + 50 * kNanosPerMilli);
  server_.reset();
  ASSERT_TRUE(RunUntil([&] { return journal.ended; }));
  EXPECT_EQ(journal.text, "tls");
}

TEST_F(CurlTransportTest, AnAbortedRequestClosesItsConnectionAndHearsNoMore) {
  Serve([](int, int request, const std::string&) {
    if (request > 0) return Whole("b");
    return Steps{ScriptedServer::Send(ScriptedServer::ChunkedHead() + ScriptedServer::Chunk("a")),
                 ScriptedServer::Pause(200), ScriptedServer::Send(ScriptedServer::Chunk(""))};
  });
  Journal first, second;
  transport_->Send(0, {0, 0, body_}, &first);
  ASSERT_TRUE(RunUntil([&] { return !first.body.empty(); }));
  transport_->Abort(0);
  EXPECT_EQ(transport_->counters().connections_open, 0u);
  Post(&second);
  EXPECT_EQ(second.text, "connected 200 end");
  EXPECT_FALSE(first.ended);
}

TEST_F(CurlTransportTest, ARefusedBodyClosesTheConnection) {
  Serve([](int, int, const std::string&) { return Whole("x"); });
  Journal first, second;
  first.refuse = true;
  transport_->Send(0, {0, 0, body_}, &first);
  ASSERT_TRUE(RunUntil(
      [&] { return !first.body.empty() && transport_->counters().connections_open == 0; }));
  Post(&second);
  EXPECT_EQ(second.text, "connected 200 end");
  EXPECT_FALSE(first.ended);
}

// From within its own handler: abort, and send the next at once.
class Chained final : public Journal {
 public:
  Chained(Transport* transport, ResponseHandler* next) : transport_(transport), next_(next) {}
  bool OnBody(absl::string_view, int64_t, uint64_t) override {
    transport_->Abort(0);
    transport_->Send(0, {0, 0, "{}"}, next_);
    return false;
  }

 private:
  Transport* const transport_;
  ResponseHandler* const next_;
};

TEST_F(CurlTransportTest, AHandlerMayAbortAndSendTheNext) {
  Serve([](int, int, const std::string&) { return Whole("x"); });
  Journal second;
  Chained first(transport_.get(), &second);
  transport_->Send(0, {0, 0, body_}, &first);
  ASSERT_TRUE(RunUntil([&] { return second.ended; }));
  EXPECT_EQ(second.text, "connected 200 end");
  EXPECT_FALSE(first.ended);
}

TEST_F(CurlTransportTest, ManySlotsHaveAConnectionEachAndNoneWaitsInside) {
  options_.slots = 60;
  Serve([](int, int, const std::string&) {
    return Steps{ScriptedServer::Send(ScriptedServer::ChunkedHead()), ScriptedServer::Pause(30),
                 ScriptedServer::Send(ScriptedServer::Chunk("x") + ScriptedServer::Chunk(""))};
  });
  for (int round = 0; round < 3; ++round) {
    std::vector<Journal> journals(60);
    for (uint32_t i = 0; i < 60; ++i) transport_->Send(i, {0, 0, body_}, &journals[i]);
    ASSERT_TRUE(RunUntil([&] {
      return std::all_of(journals.begin(), journals.end(),
                         [](const Journal& j) { return j.ended; });
    }));
  }
  EXPECT_EQ(transport_->counters().connections_opened, 60u);
  EXPECT_EQ(transport_->counters().queued_inside, 0u);
}

TEST_F(CurlTransportTest, AConnectionGoesToTheAddressOfItsRequest) {
  ScriptedServer other([](int, int, const std::string&) { return Whole("other"); });
  Serve([](int, int, const std::string&) { return Whole("first"); });
  options_.targets[0].addresses.push_back(other.address());
  transport_.reset();
  Open();
  for (int round = 0; round < 2; ++round) {
    for (uint32_t address = 0; address < 2; ++address) {
      Journal journal;
      transport_->Send(0, {0, address, body_}, &journal);
      ASSERT_TRUE(RunUntil([&] { return journal.ended; }));
      EXPECT_EQ(journal.body, address == 0 ? "first" : "other");
    }
  }
}

TEST_F(CurlTransportTest, TheConnectLimitIsATimeoutOfItsOwnClass) {
  // A listener that nobody accepts from lets further handshakes hang once its queue is full.
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener, generic, size), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  ASSERT_EQ(getsockname(listener, generic, &size), 0);
  std::vector<int> queued;
  for (int i = 0; i < 3; ++i) {
    queued.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    connect(queued.back(), generic, size);
  }
  options_.connect_timeout = 50 * kNanosPerMilli;
  options_.targets = {
      *ResolveTarget(absl::StrCat("http://127.0.0.1:", ntohs(address.sin_port), "/"))};
  Open();
  Journal journal;
  Post(&journal);
  EXPECT_EQ(journal.text, "timeout_connect") << journal.detail;
  for (const int fd : queued) close(fd);
  close(listener);
}

TEST_F(CurlTransportTest, AnUnreadableCaFileIsRefusedByName) {
  TransportTarget target;
  target.url = "https://127.0.0.1:1/";
  target.addresses = {"127.0.0.1:1"};
  target.ca_cert = "/nonexistent.pem";
  options_.targets = {target};
  const absl::Status status = NewCurlTransport(options_, loop_.get()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(std::string(status.message()), "/nonexistent.pem"));
}

TEST_F(CurlTransportTest, MayBeDestroyedInMidTransfer) {
  Serve([](int, int, const std::string&) {
    return Steps{ScriptedServer::Send(ScriptedServer::ChunkedHead() + ScriptedServer::Chunk("a")),
                 ScriptedServer::Pause(200)};
  });
  Journal journal;
  transport_->Send(0, {0, 0, body_}, &journal);
  ASSERT_TRUE(RunUntil([&] { return !journal.body.empty(); }));
  transport_.reset();
  EXPECT_FALSE(journal.ended);
}

}  // namespace
}  // namespace tidemark
