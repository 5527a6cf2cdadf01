#include "agent/http/epoll_loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <thread>

namespace tidemark {
namespace {

constexpr int64_t kBound = 10 * kNanosPerSecond;

class EpollLoopTest : public ::testing::Test {
 protected:
  EpollLoopTest() : loop_(*EpollLoop::Create(&RealClock())) {}
  int64_t Bound() { return loop_->FreshNow() + kBound; }

  std::unique_ptr<EpollLoop> loop_;
};

class Reader final : public EpollLoop::SocketHandler {
 public:
  void OnSocketReady(int fd, uint32_t) override {
    char byte;
    got += read(fd, &byte, 1);
  }
  int got = 0;
};

TEST_F(EpollLoopTest, RunsATimerAtOrAfterItsTime) {
  int64_t ran = 0;
  const int64_t when = loop_->FreshNow() + 5 * kNanosPerMilli;
  loop_->At(when, [&] { ran = loop_->Now(); });
  EXPECT_TRUE(loop_->Run([&] { return ran != 0; }, Bound()));
  EXPECT_GE(ran, when);
}

TEST_F(EpollLoopTest, AnEarlierTimerAddedLaterRunsFirst) {
  std::string order;
  const int64_t now = loop_->FreshNow();
  loop_->At(now + 20 * kNanosPerMilli, [&] { order += 'b'; });
  loop_->At(now + kNanosPerMilli, [&] {
    order += 'a';
    loop_->At(now + 2 * kNanosPerMilli, [&] { order += 'x'; });
  });
  EXPECT_TRUE(loop_->Run([&] { return order.size() == 3; }, Bound()));
  EXPECT_EQ(order, "axb");
}

TEST_F(EpollLoopTest, PostFromAnotherThreadWakesIt) {
  std::thread other([&] { loop_->Post([&] { loop_->Stop(); }); });
  EXPECT_TRUE(loop_->Run(nullptr, Bound()));
  other.join();
}

TEST_F(EpollLoopTest, RunEndsAtItsDeadline) {
  EXPECT_FALSE(loop_->Run(nullptr, loop_->FreshNow() + kNanosPerMilli));
}

TEST_F(EpollLoopTest, AnUnwatchedSocketIsSilentAndWatchedAgainSpeaks) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  Reader reader;
  loop_->WatchSocket(fds[0], EPOLLIN, &reader);
  loop_->UnwatchSocket(fds[0]);
  ASSERT_EQ(write(fds[1], "ab", 2), 2);
  EXPECT_FALSE(loop_->Run(nullptr, loop_->FreshNow() + 5 * kNanosPerMilli));
  EXPECT_EQ(reader.got, 0);
  loop_->WatchSocket(fds[0], EPOLLIN, &reader);
  EXPECT_TRUE(loop_->Run([&] { return reader.got == 2; }, Bound()));
  loop_->ForgetSocket(fds[0]);
  close(fds[0]);
  close(fds[1]);
}

TEST_F(EpollLoopTest, ADescriptorUsedAgainHasNothingOfTheOldOne) {
  Reader old_reader, new_reader;
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  loop_->WatchSocket(fds[0], EPOLLIN, &old_reader);
  loop_->ForgetSocket(fds[0]);
  close(fds[0]);
  close(fds[1]);
  int again[2];
  ASSERT_EQ(pipe(again), 0);
  ASSERT_EQ(again[0], fds[0]);
  loop_->WatchSocket(again[0], EPOLLIN, &new_reader);
  ASSERT_EQ(write(again[1], "a", 1), 1);
  EXPECT_TRUE(loop_->Run([&] { return new_reader.got == 1; }, Bound()));
  EXPECT_EQ(old_reader.got, 0);
  loop_->ForgetSocket(again[0]);
  close(again[0]);
  close(again[1]);
}

TEST_F(EpollLoopTest, SamplesItsLagOnTheGridEvenWhenNothingHappens) {
  loop_->lag().Start(loop_->FreshNow());
  EXPECT_TRUE(loop_->Run([&] { return loop_->lag().lag_us().count() >= 5; }, Bound()));
}

TEST_F(EpollLoopTest, SeesTheUnreadBytesOfWatchedSockets) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  Reader reader;
  loop_->WatchSocket(fds[0], EPOLLIN, &reader);
  ASSERT_EQ(write(fds[1], "abc", 3), 3);
  EXPECT_EQ(loop_->UnreadBytesMax(10), 3u);
  loop_->ForgetSocket(fds[0]);
  EXPECT_EQ(loop_->UnreadBytesMax(10), 0u);
  close(fds[0]);
  close(fds[1]);
}

}  // namespace
}  // namespace tidemark
