// Arrival times of real sockets: the kernel's while the loop is busy with something else.
#include "agent/http/socket_reads.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "agent/http/curl_transport.h"
#include "agent/http/resolve.h"
#include "tests/support/scripted_server.h"

namespace tidemark {
namespace {

constexpr int64_t kBound = 10 * kNanosPerSecond;
constexpr int64_t kMilli = kNanosPerMilli;
constexpr int64_t kBusy = 160 * kMilli;

// The times of a response's parts.
class Times final : public ResponseHandler {
 public:
  explicit Times(EventLoop* loop) : loop_(loop) {}
  void OnResent(int64_t) override {}
  void OnConnected(int64_t, absl::string_view) override {}
  void OnTlsDone(int64_t, absl::string_view) override {}
  void OnStatus(int, int64_t now) override { status = now; }
  void OnHeader(absl::string_view, absl::string_view) override {}
  void OnHeadersEnd(int64_t) override {}
  bool OnBody(absl::string_view, int64_t now, uint64_t read) override {
    bodies.push_back(now);
    reads.push_back(read);
    taken.push_back(loop_->Now());
    return true;
  }
  void OnResponseEnd(bool, int64_t now) override { ended = now; }
  void OnFailure(FailureClass, int64_t now, absl::string_view) override { ended = now; }

  int64_t status = 0, ended = 0;
  std::vector<int64_t> bodies, taken;
  std::vector<uint64_t> reads;

 private:
  EventLoop* const loop_;
};

class ArrivalTest : public ::testing::Test {
 protected:
  // The kernel begins to stamp some time after the first socket has asked for it, and ends with the last.
  static void SetUpTestSuite() {
    keeps_stamping_ = socket(AF_INET, SOCK_DGRAM, 0);
    const int on = 1;
    ASSERT_EQ(setsockopt(keeps_stamping_, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)), 0);
    SleepFor(50 * kMilli);
  }
  static void TearDownTestSuite() { close(keeps_stamping_); }

  ArrivalTest() : loop_(*EpollLoop::Create(&RealClock())), times_(loop_.get()) { options_.slots = 1; }

  // Head and first chunk at once, a second chunk 20 ms later, the end 20 ms after that; the loop sleeps kBusy from
  // when it has seen the first.
  void RunWithABusyLoop() {
    server_ = std::make_unique<ScriptedServer>([](int, int, const std::string&) {
      return std::vector<ServerStep>{
          ScriptedServer::Send(ScriptedServer::ChunkedHead() + ScriptedServer::Chunk("a")), ScriptedServer::Pause(20),
          ScriptedServer::Send(ScriptedServer::Chunk("b")), ScriptedServer::Pause(kEndPause),
          ScriptedServer::Send(ScriptedServer::Chunk(""))};
    });
    options_.targets = {*ResolveTarget(server_->url())};
    transport_ = *NewCurlTransport(options_, loop_.get());
    transport_->Send(0, {0, 0, "{}"}, &times_);
    ASSERT_TRUE(RunUntil([this] { return !times_.bodies.empty(); }));
    loop_->Post([] { SleepFor(kBusy); });
    ASSERT_TRUE(RunUntil([this] { return times_.ended != 0; }));
    // The server notes a time after what it sent may have come.
    for (int i = 0; i < 1'000 && server_->send_times().size() < 3; ++i) SleepFor(kMilli);
    sends_ = server_->send_times();
    ASSERT_EQ(sends_.size(), 3u);
    ASSERT_EQ(times_.bodies.size(), 2u);
  }
  bool RunUntil(const std::function<bool()>& done) { return loop_->Run(done, loop_->FreshNow() + kBound); }
  // What was sent then arrived at `at`.
  void ExpectArrived(int64_t at, const ScriptedServer::SendTime& sent) {
    EXPECT_GE(at, sent.before - ArrivalClock::kSlack);
    EXPECT_LE(at, sent.after + kMilli);
  }

  static int keeps_stamping_;
  static constexpr int kEndPause = 500;  // beyond the busy time: chunk and end are not one read
  TransportOptions options_;
  std::unique_ptr<EpollLoop> loop_;
  Times times_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Transport> transport_;
  std::vector<ScriptedServer::SendTime> sends_;
};

int ArrivalTest::keeps_stamping_ = -1;

TEST_F(ArrivalTest, BytesAreAsOldAsTheyAreAlsoWhenTheLoopIsLate) {
  RunWithABusyLoop();
  ExpectArrived(times_.status, sends_[0]);
  ExpectArrived(times_.bodies[0], sends_[0]);
  ExpectArrived(times_.bodies[1], sends_[1]);
  EXPECT_GE(times_.taken[1] - times_.bodies[1], 30 * kMilli);
}

TEST_F(ArrivalTest, TheEndIsAsOldAsItsBytes) {
  RunWithABusyLoop();
  ExpectArrived(times_.ended, sends_[2]);
}

TEST_F(ArrivalTest, TheReadersDelaySaysHowLateTheLoopWas) {
  RunWithABusyLoop();
  const Transport::ReadFacts facts = transport_->TakeReadFacts();
  EXPECT_EQ(facts.reads, 3u);
  EXPECT_EQ(facts.delay_us.count(), 3u);
  const int64_t late = times_.taken[1] - times_.bodies[1];
  EXPECT_EQ(facts.delay_us.max(), static_cast<uint64_t>(late / kNanosPerMicro));
  EXPECT_EQ(transport_->TakeReadFacts().reads, 0u);
}

TEST_F(ArrivalTest, WithoutStampsItIsTheLoopsTime) {
  options_.kernel_stamps = false;
  RunWithABusyLoop();
  EXPECT_EQ(times_.bodies, times_.taken);
  EXPECT_GE(times_.bodies[1] - sends_[1].after, 30 * kMilli);
  const Transport::ReadFacts facts = transport_->TakeReadFacts();
  EXPECT_GE(facts.reads, 2u);  // a peek that looks for no stamps does not see the end's read
  EXPECT_EQ(facts.delay_us.count(), 0u);
}

// Two sends that wait in the socket: one read when the kernel has them as one, else each has its own time.
TEST_F(ArrivalTest, WhatWaitedIsInTheWiresOrder) {
  server_ = std::make_unique<ScriptedServer>([](int, int, const std::string&) {
    std::vector<ServerStep> steps = {ScriptedServer::Send(ScriptedServer::ChunkedHead())};
    for (int i = 0; i < 20; ++i) {
      steps.push_back(ScriptedServer::Send(ScriptedServer::Chunk(std::string(1'000, 'x'))));
      steps.push_back(ScriptedServer::Pause(1));
    }
    steps.push_back(ScriptedServer::Send(ScriptedServer::Chunk("")));
    return steps;
  });
  options_.targets = {*ResolveTarget(server_->url())};
  transport_ = *NewCurlTransport(options_, loop_.get());
  transport_->Send(0, {0, 0, "{}"}, &times_);
  ASSERT_TRUE(RunUntil([this] { return times_.status != 0; }));
  loop_->Post([] { SleepFor(kBusy); });
  ASSERT_TRUE(RunUntil([this] { return times_.ended != 0; }));
  EXPECT_TRUE(std::is_sorted(times_.bodies.begin(), times_.bodies.end()));
  for (size_t i = 0; i < times_.bodies.size(); ++i) EXPECT_LE(times_.bodies[i], times_.taken[i]);
  EXPECT_GE(times_.ended, times_.bodies.back());
}

// The program's recv and poll as everyone else has them.
class PassThroughTest : public ::testing::Test {
 protected:
  PassThroughTest() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds_), 0); }
  ~PassThroughTest() override {
    close(fds_[0]);
    close(fds_[1]);
  }
  int fds_[2];
  char buffer_[64] = "";
};

TEST_F(PassThroughTest, RecvTakesBytesAndSaysWhenThereAreNone) {
  EXPECT_EQ(recv(fds_[0], buffer_, sizeof(buffer_), 0), -1);
  EXPECT_EQ(errno, EAGAIN);
  ASSERT_EQ(send(fds_[1], "abc", 3, 0), 3);
  EXPECT_EQ(recv(fds_[0], buffer_, sizeof(buffer_), MSG_PEEK), 3);
  EXPECT_EQ(recv(fds_[0], buffer_, sizeof(buffer_), 0), 3);
  EXPECT_STREQ(buffer_, "abc");
}

TEST_F(PassThroughTest, PollSeesBytesAndWaits) {
  pollfd ready{fds_[0], POLLIN, 0};
  EXPECT_EQ(poll(&ready, 1, 0), 0);
  std::thread other([this] {
    SleepFor(5 * kMilli);
    EXPECT_EQ(send(fds_[1], "a", 1, 0), 1);
  });
  EXPECT_EQ(poll(&ready, 1, 10'000), 1);
  EXPECT_EQ(ready.revents, POLLIN);
  other.join();
}

TEST_F(PassThroughTest, OneThreadsLookIsNoneOfAnothers) {
  const auto loop = *EpollLoop::Create(&RealClock());
  SocketReads reads(loop.get(), &RealClock(), true);
  const SocketReads::Look look(&reads, fds_[0], false);
  std::thread other([this] {
    ASSERT_EQ(send(fds_[1], "ab", 2, 0), 2);
    char byte;
    EXPECT_EQ(recv(fds_[0], &byte, 1, 0), 1);
    pollfd ready{fds_[0], POLLIN, 0};
    EXPECT_EQ(poll(&ready, 1, 0), 1);
  });
  other.join();
  EXPECT_FALSE(reads.any());
}

}  // namespace
}  // namespace tidemark
