#include "common/thread/serial_worker.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/support/fake_clock.h"

namespace tidemark {
namespace {

// What tasks did, in order; waited for within bounds. Thread-safe.
class Trace {
 public:
  void Add(const std::string& word) {
    MutexLock lock(mutex_);
    words_ += word;
    changed_.NotifyAll();
  }
  std::string Await(size_t length) {
    MutexLock lock(mutex_);
    for (int waits = 0; waits < 100 && words_.size() < length; ++waits) {
      changed_.WaitFor(mutex_, kNanosPerSecond / 10);
    }
    return words_;
  }
  std::string words() { return Await(0); }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::string words_ TIDEMARK_GUARDED_BY(mutex_);
};

class SerialWorkerTest : public testing::Test {
 protected:
  std::function<void()> Says(const std::string& word) {
    return [this, word] { trace_.Add(word); };
  }

  FakeClock clock_;
  Trace trace_;
  SerialWorker worker_{&clock_};  // last: its tasks use the trace
};

TEST_F(SerialWorkerTest, RunsTasksInTheOrderPosted) {
  for (const char* word : {"a", "b", "c"}) worker_.Post(Says(word));
  EXPECT_EQ(trace_.Await(3), "abc");
}

TEST_F(SerialWorkerTest, RunsTasksOnAThreadOfItsOwn) {
  const std::thread::id caller = std::this_thread::get_id();
  worker_.Post([this, caller] { trace_.Add(std::this_thread::get_id() == caller ? "x" : "o"); });
  EXPECT_EQ(trace_.Await(1), "o");
}

TEST_F(SerialWorkerTest, StopRunsWhatWasPosted) {
  for (int i = 0; i < 100; ++i) worker_.Post(Says("a"));
  worker_.Stop();
  EXPECT_EQ(trace_.words(), std::string(100, 'a'));
}

TEST_F(SerialWorkerTest, DropsWhatIsPostedAfterStop) {
  worker_.Stop();
  worker_.Post(Says("a"));
  worker_.Stop();
  EXPECT_EQ(trace_.words(), "");
}

TEST_F(SerialWorkerTest, RunsAWakeUpThatIsDue) {
  worker_.WakeAt(clock_.MonotonicNanos(), Says("w"));
  EXPECT_EQ(trace_.Await(1), "w");
}

TEST_F(SerialWorkerTest, DoesNotRunAWakeUpBeforeItsTime) {
  worker_.WakeAt(clock_.MonotonicNanos() + kNanosPerSecond, Says("w"));
  worker_.Post(Says("a"));
  EXPECT_EQ(trace_.Await(1), "a");
  worker_.Stop();
  EXPECT_EQ(trace_.words(), "a");
}

TEST_F(SerialWorkerTest, AWakeUpReplacesTheOneBefore) {
  worker_.WakeAt(clock_.MonotonicNanos() + kNanosPerSecond, Says("1"));
  worker_.WakeAt(clock_.MonotonicNanos() + kNanosPerSecond, Says("2"));
  clock_.Advance(kNanosPerSecond);
  worker_.Post([] {});  // looks at the clock
  EXPECT_EQ(trace_.Await(1), "2");
}

TEST_F(SerialWorkerTest, RunsAWakeUpOnce) {
  worker_.WakeAt(clock_.MonotonicNanos(), Says("w"));
  trace_.Await(1);
  worker_.Post(Says("a"));
  EXPECT_EQ(trace_.Await(2), "wa");
}

}  // namespace
}  // namespace tidemark
