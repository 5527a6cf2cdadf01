#include "cli/one_host.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/engine/engine.h"
#include "agent/session/agent_session.h"
#include "agent/session/host_facts.h"
#include "cli/law_statement.h"
#include "common/mutex.h"
#include "coordinator/driver/job_driver.h"

namespace tidemark {
namespace {

constexpr char kAgentId[] = "local";
constexpr int kMaxMessageBytes = 4 << 20;  // a histogram alone may exceed the usual 64 KiB

// 128 random bits in hexadecimal: recorded in the result, so that the run can be told from any other.
std::string RandomHex() {
  std::random_device source;
  std::string hex;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&hex, absl::Hex(source(), absl::kZeroPad8));
  return hex;
}

LiveProgress ToProgress(const LiveLevel& live, uint32_t levels_planned) {
  LiveProgress out;
  out.level_number = live.key.level + 1;
  out.levels_planned = levels_planned;
  out.concurrency = live.concurrency;
  out.phase = LevelPhaseName(live.phase);
  out.in_flight = live.in_flight;
  out.done = live.done;
  out.planned = live.request_count;
  out.failed = live.failed;
  if (live.output_tokens_per_s > 0) out.tokens_per_second = live.output_tokens_per_s;
  out.p99_ms = live.latency_p99_ms;
  out.seconds_left = live.left_s;
  return out;
}

class OneHostRunner final : public Runner {
 public:
  OneHostRunner(std::string version, const Clock* clock) : version_(std::move(version)), clock_(clock) {}

  absl::StatusOr<v1::Result> Run(const RunRequest& request, const RunCallbacks& callbacks) override {
    JobDriver driver(DriverOptions(request), DriverEvents(request, callbacks), clock_);
    Register(&driver);
    const auto service = NewSessionService(&driver, nullptr);
    grpc::ServerBuilder builder;
    builder.RegisterService(service.get());
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server) {
      Register(nullptr);
      return absl::InternalError("the in-process gRPC server did not start");
    }
    v1::Result result = RunAgent(request, *server);
    Register(nullptr);
    server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(5));
    if (request.simulator) AddLawStatement(request.spec, &result);
    return result;
  }

  void Stop(bool now) override {
    MutexLock lock(mutex_);
    stop_ = now ? 2 : std::max(stop_, 1);
    if (driver_ != nullptr) driver_->Stop("stopped by the user", now);
  }

 private:
  // The driver that Stop reaches; one that was asked for before is told at once.
  void Register(JobDriver* driver) {
    MutexLock lock(mutex_);
    driver_ = driver;
    if (driver != nullptr && stop_ > 0) driver->Stop("stopped by the user", stop_ > 1);
  }

  JobDriverOptions DriverOptions(const RunRequest& request) const {
    JobDriverOptions options;
    options.spec = request.spec;
    options.machine.job_id = RandomHex();
    options.machine.nonce = RandomHex();
    options.machine.one_host = true;
    options.record.job_id = options.machine.job_id;
    options.record.nonce = options.machine.nonce;
    options.record.tool_version = version_;
    options.record.job_yaml = request.job_yaml;
    options.record.command = request.command;
    options.record.environment = DescribeEnvironment();
    options.artifact_dir = request.output_dir;
    options.epoch = {RandomHex(), 1};
    return options;
  }

  JobDriverEvents DriverEvents(const RunRequest& request, const RunCallbacks& callbacks) {
    JobDriverEvents events;
    const uint32_t planned = static_cast<uint32_t>(request.spec.concurrency.size());
    events.live = [&callbacks, planned](const LiveLevel& live) {
      if (callbacks.progress) callbacks.progress(ToProgress(live, planned));
    };
    events.level_finished = [&callbacks](const v1::LevelResult& level) {
      if (callbacks.level_done) callbacks.level_done(level);
    };
    events.say = [&callbacks](bool, const std::string& text) {
      if (callbacks.note) callbacks.note(text);
    };
    events.probed = [&callbacks](const JobSpec& resolved, const v1::Probed& probe, uint64_t) {
      if (callbacks.note) callbacks.note(DescribeProbe(resolved, probe));
    };
    events.finished = [this](v1::Result result) {
      MutexLock lock(mutex_);
      result_ = std::move(result);
      finished_.NotifyAll();
    };
    return events;
  }

  static std::string DescribeProbe(const JobSpec& spec, const v1::Probed& probe) {
    std::string text = absl::StrCat("probe: model ", spec.endpoint.model.empty() ? "(unnamed)" : spec.endpoint.model,
                                    " answered in ", probe.latency_us() / 1000, " ms");
    if (probe.calibrated()) {
      absl::StrAppend(&text, "; a prompt of w words has ", probe.calibration().intercept(), " + ",
                      probe.calibration().slope(), " w tokens");
    }
    return text;
  }

  // Lives for the job: the agent dials in, works, and leaves when the result is there.
  v1::Result RunAgent(const RunRequest& request, grpc::Server& server) {
    EngineOptions engine_options;
    engine_options.loops = request.loops;
    engine_options.spool_dir = request.journal_dir;
    // The user's own job and environment: every target, and every key the job names.
    engine_options.access.secret = [](const std::string& name, const std::string&, uint16_t) { return Secret(name); };
    const TargetAccess access = engine_options.access;
    const std::unique_ptr<Engine> engine = NewCurlEngine(std::move(engine_options), clock_);
    AgentSessionOptions session;
    session.hello = BuildHello({kAgentId, request.capacity});
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
    session.channel = server.InProcessChannel(arguments);
    session.engine = engine.get();
    session.prober.access = access;
    const AgentSession agent(std::move(session), clock_);
    return WaitForResult();
  }

  static std::string Secret(const std::string& name) {
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    return value == nullptr ? "" : value;
  }

  // Bounded by the job: every phase of it has its own deadline.
  v1::Result WaitForResult() {
    MutexLock lock(mutex_);
    while (!result_) finished_.WaitFor(mutex_, kNanosPerSecond);
    return *std::exchange(result_, std::nullopt);
  }

  const std::string version_;
  const Clock* const clock_;
  Mutex mutex_;
  CondVar finished_;
  JobDriver* driver_ TIDEMARK_GUARDED_BY(mutex_) = nullptr;
  int stop_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // 1: drain, 2: at once
  std::optional<v1::Result> result_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Runner> NewOneHostRunner(const std::string& version, const Clock* clock) {
  return std::make_unique<OneHostRunner>(version, clock);
}

}  // namespace tidemark
