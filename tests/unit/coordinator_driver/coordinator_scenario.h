#ifndef TIDEMARK_TESTS_UNIT_COORDINATOR_DRIVER_COORDINATOR_SCENARIO_H_
#define TIDEMARK_TESTS_UNIT_COORDINATOR_DRIVER_COORDINATOR_SCENARIO_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/mutex.h"
#include "coordinator/driver/coordinator.h"
#include "tests/support/fake_clock.h"

namespace tidemark {

// What a store would keep on disk; outlives coordinators, as a disk does. Thread-safe.
struct MemoryDisk {
  Mutex mutex;
  uint64_t starts TIDEMARK_GUARDED_BY(mutex) = 0;
  std::map<std::string, v1::StoredJob> jobs TIDEMARK_GUARDED_BY(mutex);
  std::map<std::string, std::vector<v1::JournalEntry>> journals TIDEMARK_GUARDED_BY(mutex);
  std::map<std::string, v1::Result> results TIDEMARK_GUARDED_BY(mutex);
  absl::Status append TIDEMARK_GUARDED_BY(mutex);  // what Append answers
};
std::unique_ptr<JobStore> OpenMemoryStore(MemoryDisk* disk);

// An agent's stream that keeps what the coordinator sends, and answers every command at once unless it is mute
// for that kind. Thread-safe.
class FakeAgent final : public AgentStream, public std::enable_shared_from_this<FakeAgent> {
 public:
  using Kind = v1::CoordinatorMessage::KindCase;
  FakeAgent(Coordinator* coordinator, std::set<Kind> mute) : coordinator_(coordinator), mute_(std::move(mute)) {}

  void Send(v1::CoordinatorMessage message) override;
  void ReadNext() override {}
  void Close(const std::string& reason) override;
  void Say(v1::AgentMessage message);
  void Beat();  // a heartbeat, once it is welcome

  // The first message of this kind once it comes, within a bounded wait; a default one if it never does.
  v1::CoordinatorMessage Await(Kind kind);
  size_t Count(Kind kind);
  // The reason of Close, within a bounded wait; "" if it is never closed.
  std::string AwaitClose();

 private:
  std::vector<v1::AgentMessage> AnswersTo(const v1::CoordinatorMessage& message) TIDEMARK_REQUIRES(mutex_);

  Coordinator* const coordinator_;
  const std::set<Kind> mute_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<v1::CoordinatorMessage> sent_ TIDEMARK_GUARDED_BY(mutex_);
  std::string closed_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t beats_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  uint64_t requests_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // of its share
  v1::Epoch epoch_ TIDEMARK_GUARDED_BY(mutex_);
};

// A coordinator on a clock that stands still unless told to move. Result files go to a temporary folder.
class CoordinatorScenario {
 public:
  explicit CoordinatorScenario(MemoryDisk* disk = nullptr, CoordinatorOptions options = {});
  ~CoordinatorScenario();

  std::shared_ptr<FakeAgent> Open();
  // An agent that has said Hello.
  std::shared_ptr<FakeAgent> Join(const std::string& id, std::set<FakeAgent::Kind> mute = {}, uint32_t protocol = 1);

  // A job of these levels with 4 measured requests each. A request id that is not given is unique.
  absl::StatusOr<v1::Job> Create(const std::string& levels, const std::string& request_id = "");
  absl::StatusOr<v1::Job> CreateYaml(const std::string& yaml, const std::string& request_id);
  v1::Job Describe(const std::string& job_id);
  // The job once it is in this state, within a bounded wait, in which the clock moves on; else as it is then.
  v1::Job Await(const std::string& job_id, v1::JobState state);
  // Moves the clock, a second at a time with a heartbeat of every agent, and lets the coordinator look at it.
  void Advance(int64_t nanos);

  // Calls a handler function and waits, bounded, for its answer.
  template <typename T>
  absl::StatusOr<T> Ask(const std::function<void(BenchmarkHandler::Answer<T>)>& call);

  Coordinator& coordinator() { return *coordinator_; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  FakeClock clock_;
  int requests_ = 0;
  std::vector<std::shared_ptr<FakeAgent>> agents_;
  std::unique_ptr<Coordinator> coordinator_;
};

template <typename T>
absl::StatusOr<T> CoordinatorScenario::Ask(const std::function<void(BenchmarkHandler::Answer<T>)>& call) {
  struct Slot {
    Mutex mutex;
    CondVar changed;
    std::optional<absl::StatusOr<T>> answer TIDEMARK_GUARDED_BY(mutex);
  };
  const auto slot = std::make_shared<Slot>();
  call([slot](absl::StatusOr<T> answer) {
    MutexLock lock(slot->mutex);
    slot->answer = std::move(answer);
    slot->changed.NotifyAll();
  });
  MutexLock lock(slot->mutex);
  for (int waits = 0; waits < 100 && !slot->answer; ++waits) slot->changed.WaitFor(slot->mutex, kNanosPerSecond / 10);
  if (!slot->answer) return absl::DeadlineExceededError("no answer came");
  return *slot->answer;
}

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_COORDINATOR_DRIVER_COORDINATOR_SCENARIO_H_
