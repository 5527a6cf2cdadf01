#include "agent/session/agent_session.h"

#include <atomic>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "agent/core/session_machine/agent_machine.h"
#include "agent/session/record_upload.h"
#include "agent/session/session_stream.h"
#include "common/log/log.h"
#include "common/thread/serial_worker.h"

namespace tidemark {
namespace {

// How long the destructor lets a running level end.
constexpr int64_t kLeaveLimit = 10 * kNanosPerSecond;

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

// A thread for one blocking job at a time; a new job waits for the one before, which is cancelled.
class Helper {
 public:
  ~Helper() { Cancel(); }

  void Run(std::function<void(const std::atomic<bool>& cancelled)> job) {
    Cancel();
    cancelled_ = false;
    thread_ = std::thread([this, job = std::move(job)] { job(cancelled_); });
  }

  void Cancel() {
    cancelled_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> cancelled_{false};
  std::thread thread_;
};

}  // namespace

// Everything but Leave runs on `worker_`.
class AgentSession::Core {
 public:
  Core(AgentSessionOptions options, const Clock* clock)
      : options_(std::move(options)),
        clock_(clock),
        stub_(v1::AgentSession::NewStub(options_.channel)),
        machine_(options_.hello),
        worker_(clock) {
    Post(AgentBegin{});
  }

  ~Core() {
    Post(AgentLeaves{"the agent's process ends"});
    WaitForExit();
    prober_.Cancel();
    uploader_.Cancel();
    worker_.Stop();
    stream_.reset();
    WaitForStream();
  }

  void Post(AgentEvent event) {
    worker_.Post([this, event = std::move(event)] { Handle(event); });
  }

 private:
  void Handle(const AgentEvent& event) {
    for (const AgentEffect& effect : machine_.Handle(event, clock_->MonotonicNanos())) Do(effect);
  }

  void Do(const AgentEffect& effect) {
    std::visit(Overloaded{
                   [this](const OpenStream&) { Open(); },
                   [this](const CloseStream&) { CloseCurrent(); },
                   [this](const SendToCoordinator& e) { Send(e.message); },
                   [this](const WakeAt& e) { Wake(e.at); },
                   [this](const RunProbe& e) { Probe(e.task); },
                   [this](const EnginePrepare& e) { Prepare(e.task); },
                   [this](const EngineArm& e) { options_.engine->Arm(e.start, e.slice_origin); },
                   [this](const EngineMeasure& e) { options_.engine->Measure(e.start); },
                   [this](const EngineStop& e) { options_.engine->Stop(e.drain_ns); },
                   [this](const EngineCancel&) { options_.engine->Cancel(); },
                   [this](const EngineSetSendDeadline& e) { options_.engine->SetSendDeadline(e.until); },
                   [this](const UploadRecords& e) { Upload(e.key); },
                   [](const AgentLog& e) { Log(e.warning ? LogLevel::kWarning : LogLevel::kDebug, e.text); },
                   [this](const ExitAgent& e) { Exit(e); },
               },
               effect);
  }

  // Each stream has a number, so that what a closed one still says is told apart.
  void Open() {
    const uint64_t number = ++stream_number_;
    {
      MutexLock lock(mutex_);
      ++open_streams_;
    }
    SessionStreamEvents events;
    events.message = [this, number](v1::CoordinatorMessage message) {
      worker_.Post([this, number, message = std::move(message)]() mutable {
        if (number == stream_number_ && stream_) Handle(CoordinatorSaid{std::move(message)});
      });
    };
    events.lost = [this, number](std::string reason) {
      worker_.Post([this, number, reason = std::move(reason)] {
        if (number == stream_number_ && stream_) Lose(reason);
      });
      MutexLock lock(mutex_);
      --open_streams_;
      changed_.NotifyAll();
    };
    stream_ = OpenSessionStream(stub_.get(), std::move(events));
    Handle(StreamOpened{});
  }

  void Lose(const std::string& reason) {
    stream_.reset();
    Handle(StreamLost{reason});
  }

  void CloseCurrent() { stream_.reset(); }

  void Send(const v1::AgentMessage& message) {
    if (stream_) stream_->Send(message);
  }

  void Wake(int64_t at) {
    worker_.WakeAt(at, [this] { Handle(AgentTimer{options_.engine->LoopSilenceMillis()}); });
  }

  void Probe(const ProbeTask& task) {
    prober_.Run([this, task](const std::atomic<bool>& cancelled) {
      ProberOptions prober = options_.prober;
      prober.cancelled = [&cancelled] { return cancelled.load(); };
      v1::Probed report = ProbeEndpoint(task, prober, clock_);
      Post(ProbeDone{task.job_id, std::move(report)});
    });
  }

  void Prepare(const LevelTask& task) {
    const LevelKey key = task.key;
    EngineEvents events;
    events.ready = [this, key](absl::Status status, std::vector<std::string> addresses) {
      Post(EngineReady{key, std::move(status), std::move(addresses)});
    };
    events.started = [this, key](int64_t skew) { Post(EngineStarted{key, skew}); };
    events.warm = [this, key](bool deadline_passed, uint64_t mean_us) {
      Post(EngineWarm{key, deadline_passed, mean_us});
    };
    events.share_done = [this, key] { Post(EngineShareDone{key}); };
    events.facts = [this, key](MeasuredFacts facts) { Post(EngineFacts{key, std::move(facts)}); };
    events.stopped = [this, key](FinalSnapshot snapshot) { Post(EngineStopped{key, std::move(snapshot)}); };
    options_.engine->Prepare(task, std::move(events));
  }

  void Upload(const LevelKey& key) {
    const std::string path = options_.engine->SpoolPath();
    uploader_.Run([this, key, path](const std::atomic<bool>& cancelled) {
      const absl::Status status =
          UploadRecordSpool(path, key, options_.hello.agent_id(), stub_.get(), cancelled);
      if (!status.ok()) Log(LogLevel::kWarning, "records", {{"error", std::string(status.message())}});
    });
  }

  void Exit(const ExitAgent& exit) {
    if (options_.exited) options_.exited(exit.reason, exit.failed);
    MutexLock lock(mutex_);
    exited_ = true;
    changed_.NotifyAll();
  }

  void WaitForExit() {
    const int64_t deadline = clock_->MonotonicNanos() + kLeaveLimit;
    MutexLock lock(mutex_);
    while (!exited_ && clock_->MonotonicNanos() < deadline) {
      changed_.WaitFor(mutex_, deadline - clock_->MonotonicNanos());
    }
  }

  // gRPC's threads may still call a closed stream's events.
  void WaitForStream() {
    const int64_t deadline = clock_->MonotonicNanos() + kLeaveLimit;
    MutexLock lock(mutex_);
    while (open_streams_ > 0 && clock_->MonotonicNanos() < deadline) {
      changed_.WaitFor(mutex_, deadline - clock_->MonotonicNanos());
    }
  }

  AgentSessionOptions options_;
  const Clock* const clock_;
  const std::unique_ptr<v1::AgentSession::Stub> stub_;
  AgentMachine machine_;
  Mutex mutex_;
  CondVar changed_;
  bool exited_ TIDEMARK_GUARDED_BY(mutex_) = false;
  int open_streams_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  SerialWorker worker_;
  uint64_t stream_number_ = 0;
  std::unique_ptr<SessionStream> stream_;
  Helper prober_;
  Helper uploader_;
};

AgentSession::AgentSession(AgentSessionOptions options, const Clock* clock)
    : core_(std::make_unique<Core>(std::move(options), clock)) {}

AgentSession::~AgentSession() = default;

void AgentSession::Leave(const std::string& reason) { core_->Post(AgentLeaves{reason}); }

}  // namespace tidemark
