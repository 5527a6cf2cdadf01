#ifndef TIDEMARK_TESTS_UNIT_COORDINATOR_DRIVER_DRIVER_SCENARIO_H_
#define TIDEMARK_TESTS_UNIT_COORDINATOR_DRIVER_DRIVER_SCENARIO_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/mutex.h"
#include "coordinator/driver/job_driver.h"
#include "tests/support/fake_clock.h"

namespace tidemark {

// An agent's stream that keeps what the driver sends. Thread-safe.
class FakeStream final : public AgentStream {
 public:
  void Send(v1::CoordinatorMessage message) override;
  void Close(const std::string& reason) override;

  // The first message of this kind once it comes, within a bounded wait; a default one if it never does.
  v1::CoordinatorMessage Await(v1::CoordinatorMessage::KindCase kind);
  // The reason of Close, within a bounded wait; "" if it is never closed.
  std::string AwaitClose();

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<v1::CoordinatorMessage> sent_ TIDEMARK_GUARDED_BY(mutex_);
  std::string closed_ TIDEMARK_GUARDED_BY(mutex_);
};

// A driver of a job of one level (concurrency 2, 4 requests) on a clock that stands still.
class DriverScenario {
 public:
  DriverScenario();

  std::shared_ptr<FakeStream> Open();
  // Opens a stream that has said Hello.
  std::shared_ptr<FakeStream> Join(const std::string& id, uint32_t protocol = 1);
  void Say(const std::shared_ptr<FakeStream>& stream, v1::AgentMessage message);
  // Answers PROBE; the job, the model and (unless set) the epoch are filled in.
  void Probed(const std::shared_ptr<FakeStream>& stream, v1::Probed report);
  // Whether a text that holds `part` was said, within a bounded wait.
  bool AwaitSaid(const std::string& part);
  int probed_events();  // so far
  FakeClock& clock() { return clock_; }
  JobDriver& driver() { return *driver_; }

  static v1::Epoch Epoch();

 private:
  FakeClock clock_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> said_ TIDEMARK_GUARDED_BY(mutex_);
  int probed_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<JobDriver> driver_;
};

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_COORDINATOR_DRIVER_DRIVER_SCENARIO_H_
