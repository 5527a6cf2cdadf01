#include "agent/session/agent_session.h"

#include <cstdio>
#include <utility>
#include <variant>
#include <vector>

#include "agent/core/session_machine/agent_machine.h"
#include "agent/session/record_upload.h"
#include "agent/session/session_stream.h"
#include "common/log/log.h"
#include "common/overloaded.h"
#include "common/thread/cancellation.h"
#include "common/thread/reaper.h"
#include "common/thread/serial_worker.h"

namespace tidemark {
namespace {

// How long the destructor lets a running level end.
constexpr int64_t kLeaveLimit = 10 * kNanosPerSecond;
// How long a stream may take to end in good order before it is cancelled.
constexpr int64_t kCloseLimit = 2 * kNanosPerSecond;

// One blocking job at a time: a new one cancels the one before, which ends on its own.
class Helper {
 public:
  explicit Helper(Reaper* reaper) : reaper_(reaper) {}

  void Run(std::function<void(Cancellation*)> job) {
    Cancel();
    current_ = std::make_shared<Cancellation>();
    reaper_->Run([cancellation = current_, job = std::move(job)] { job(cancellation.get()); });
  }

  void Cancel() {
    if (current_) current_->Cancel();
  }

 private:
  Reaper* const reaper_;
  std::shared_ptr<Cancellation> current_;
};

// How many streams gRPC's threads may still tell of. Thread-safe.
class StreamCount {
 public:
  void Add(int change) {
    MutexLock lock(mutex_);
    open_ += change;
    changed_.NotifyAll();
  }
  void WaitForNone(const Clock& clock, int64_t deadline) {
    MutexLock lock(mutex_);
    while (open_ > 0 && clock.MonotonicNanos() < deadline) {
      changed_.WaitFor(mutex_, deadline - clock.MonotonicNanos());
    }
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int open_ TIDEMARK_GUARDED_BY(mutex_) = 0;
};

}  // namespace

// Everything but Leave runs on `worker_`. What other threads call (the engine, helpers, gRPC) holds the
// worker, and no more than posts to it: it drops what comes once it has been stopped, so a late call
// finds no freed memory.
class AgentSession::Core {
 public:
  Core(AgentSessionOptions options, const Clock* clock)
      : options_(std::move(options)),
        clock_(clock),
        stub_(v1::AgentSession::NewStub(options_.channel)),
        machine_(options_.hello),
        worker_(std::make_shared<SerialWorker>(clock)) {
    Post(AgentBegin{});
  }

  // The worker first: it alone starts helpers and streams.
  ~Core() {
    Post(AgentLeaves{"the agent's process ends"});
    WaitForExit();
    worker_->Stop();
    prober_.Cancel();
    uploader_.Cancel();
    CloseCurrent();
    streams_->WaitForNone(*clock_, clock_->MonotonicNanos() + kCloseLimit);
    closing_.clear();
    streams_->WaitForNone(*clock_, clock_->MonotonicNanos() + kLeaveLimit);
    reaper_.Join();
  }

  void Post(AgentEvent event) { Poster()(std::move(event)); }

 private:
  // Posts events, for whatever may outlive the core.
  std::function<void(AgentEvent)> Poster() {
    return [this, worker = worker_](AgentEvent event) {
      worker->Post([this, event = std::move(event)] { Handle(event); });
    };
  }

  void Handle(const AgentEvent& event) {
    const int64_t now = clock_->MonotonicNanos();
    const std::vector<AgentEffect> effects = machine_.Handle(event, now);
    if (options_.observe) options_.observe({event, effects, machine_, now});
    for (const AgentEffect& effect : effects) Do(effect);
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
    closing_.clear();
    streams_->Add(1);
    SessionStreamEvents events;
    events.message = [this, number, worker = worker_](v1::CoordinatorMessage message) {
      worker->Post([this, number, message = std::move(message)]() mutable {
        if (number == stream_number_ && stream_) Handle(CoordinatorSaid{std::move(message)});
      });
    };
    events.lost = [this, number, worker = worker_, streams = streams_](std::string reason) {
      worker->Post([this, number, reason = std::move(reason)] {
        if (number == stream_number_ && stream_) Lose(reason);
      });
      streams->Add(-1);
    };
    stream_ = OpenSessionStream(stub_.get(), std::move(events));
    Handle(StreamOpened{});
  }

  void Lose(const std::string& reason) {
    stream_.reset();
    Handle(StreamLost{reason});
  }

  // Lets go of the stream; it is cancelled when the next one opens, if it has not ended by then.
  void CloseCurrent() {
    if (!stream_) return;
    stream_->Close();
    closing_.push_back(std::move(stream_));
  }

  void Send(const v1::AgentMessage& message) {
    if (stream_) stream_->Send(message);
  }

  void Wake(int64_t at) {
    worker_->WakeAt(at, [this] { Handle(AgentTimer{options_.engine->LoopSilenceMillis()}); });
  }

  void Probe(const ProbeTask& task) {
    prober_.Run([this, task, post = Poster()](Cancellation* cancellation) {
      ProberOptions prober = options_.prober;
      prober.cancelled = [cancellation] { return cancellation->cancelled(); };
      v1::Probed report = ProbeEndpoint(task, prober, clock_);
      // A probe that another has replaced must not answer in its place.
      if (!cancellation->cancelled()) post(ProbeDone{task.job_id, std::move(report)});
    });
  }

  void Prepare(const LevelTask& task) {
    const LevelKey key = task.key;
    const std::function<void(AgentEvent)> post = Poster();
    EngineEvents events;
    events.ready = [post, key](absl::Status status, std::vector<std::string> addresses) {
      post(EngineReady{key, std::move(status), std::move(addresses)});
    };
    events.started = [post, key](int64_t skew) { post(EngineStarted{key, skew}); };
    events.warm = [post, key](bool deadline_passed, uint64_t mean_us) {
      post(EngineWarm{key, deadline_passed, mean_us});
    };
    events.share_done = [post, key] { post(EngineShareDone{key}); };
    events.facts = [post, key](MeasuredFacts facts) { post(EngineFacts{key, std::move(facts)}); };
    events.stopped = [post, key](FinalSnapshot snapshot) { post(EngineStopped{key, std::move(snapshot)}); };
    options_.engine->Prepare(task, std::move(events));
  }

  void Upload(const LevelKey& key) {
    const std::string path = options_.engine->SpoolPath();
    uploader_.Run([path, key, agent_id = options_.hello.agent_id(), stub = stub_](Cancellation* cancellation) {
      const absl::Status status = UploadRecordSpool(path, key, agent_id, stub.get(), cancellation);
      // A cancelled one is not missed: this session ends, and a job that has ended has what it waited for.
      const bool missed = !status.ok() && !cancellation->cancelled();
      if (missed) Log(LogLevel::kWarning, "records", {{"error", std::string(status.message())}});
      if (!missed) std::remove(path.c_str());
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

  AgentSessionOptions options_;
  const Clock* const clock_;
  const std::shared_ptr<v1::AgentSession::Stub> stub_;
  AgentMachine machine_;
  Mutex mutex_;
  CondVar changed_;
  bool exited_ TIDEMARK_GUARDED_BY(mutex_) = false;
  const std::shared_ptr<StreamCount> streams_ = std::make_shared<StreamCount>();
  const std::shared_ptr<SerialWorker> worker_;
  uint64_t stream_number_ = 0;
  std::unique_ptr<SessionStream> stream_;
  std::vector<std::unique_ptr<SessionStream>> closing_;  // let go of, perhaps not ended
  Reaper reaper_;
  Helper prober_{&reaper_};
  Helper uploader_{&reaper_};
};

AgentSession::AgentSession(AgentSessionOptions options, const Clock* clock)
    : core_(std::make_unique<Core>(std::move(options), clock)) {}

AgentSession::~AgentSession() = default;

void AgentSession::Leave(const std::string& reason) { core_->Post(AgentLeaves{reason}); }

}  // namespace tidemark
