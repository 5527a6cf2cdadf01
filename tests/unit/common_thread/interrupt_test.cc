#include "common/thread/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/mutex.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Collects calls and waits for them, at most 10 s.
class Calls {
 public:
  void Add(int signal, int count) {
    MutexLock lock(mutex_);
    calls_.emplace_back(signal, count);
    changed_.NotifyAll();
  }
  std::vector<std::pair<int, int>> WaitForCount(size_t count) {
    MutexLock lock(mutex_);
    for (int turns = 0; calls_.size() < count && turns < 100; ++turns) {
      changed_.WaitFor(mutex_, 100'000'000);
    }
    return calls_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::pair<int, int>> calls_ TIDEMARK_GUARDED_BY(mutex_);
};

TEST(InterruptWatch, TellsTheFirstSignalFromLaterOnes) {
  Calls calls;
  auto watch = InterruptWatch::Start([&calls](int signal, int count) { calls.Add(signal, count); });
  ASSERT_TRUE(watch.ok());
  EXPECT_EQ((*watch)->first_signal(), 0);
  kill(getpid(), SIGINT);
  EXPECT_THAT(calls.WaitForCount(1), ElementsAre(Pair(SIGINT, 1)));
  kill(getpid(), SIGTERM);
  EXPECT_THAT(calls.WaitForCount(2), ElementsAre(Pair(SIGINT, 1), Pair(SIGTERM, 2)));
  EXPECT_EQ((*watch)->first_signal(), SIGINT);
}

TEST(InterruptWatch, EndsWithoutASignalAndLetsSignalsActAgain) {
  { auto watch = InterruptWatch::Start({}); }
  sigset_t blocked;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &blocked), 0);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0);
}

}  // namespace
}  // namespace tidemark
