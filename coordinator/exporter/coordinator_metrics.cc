#include "coordinator/exporter/coordinator_metrics.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "coordinator/exporter/coordinator_families.h"
#include "coordinator/exporter/latency_buckets.h"
#include "coordinator/report/level_view.h"

namespace tidemark {
namespace {

constexpr char kMeasure[] = "measure", kUnmeasured[] = "unmeasured";

// Statuses with a series of their own: an endpoint may answer with any, and each would be one.
constexpr const char* kOwnHttpClasses[] = {"http_400", "http_401", "http_403", "http_404", "http_405",
                                           "http_408", "http_413", "http_422", "http_429", "http_500",
                                           "http_502", "http_503", "http_504", "http_529"};

std::string FailureLabel(const std::string& failure_class) {
  if (!absl::StartsWith(failure_class, "http_")) return failure_class;
  for (const char* own : kOwnHttpClasses) {
    if (failure_class == own) return failure_class;
  }
  return "http_other";
}

constexpr LevelPhase kPhases[] = {LevelPhase::kPreparing, LevelPhase::kRamp,     LevelPhase::kWarmup,
                                  LevelPhase::kMeasuring, LevelPhase::kStopping, LevelPhase::kRecords};

std::string NameOr(absl::string_view name, absl::string_view otherwise) {
  return std::string(name.empty() ? otherwise : name);
}

// One page in the making, in CoordinatorFamilies' terms.
class Writer {
 public:
  Writer() : page_(CoordinatorFamilies()) {}

  template <typename Value>
  void Add(CoordinatorFamily family, std::vector<std::string> labels, const Value& value) {
    page_.Add(static_cast<size_t>(family), std::move(labels), value);
  }
  void Add(CoordinatorFamily family, std::vector<std::string> labels, uint64_t value) {
    page_.Add(static_cast<size_t>(family), std::move(labels), static_cast<double>(value));
  }
  std::string Text() const { return page_.Text(); }

 private:
  MetricPage page_;
};

// Immutable once made: a scrape reads it while the owner sets the next.
struct LevelSeries {
  LevelKey key;
  uint32_t concurrency = 0;
  uint64_t planned_requests = 0;
  struct Facts {
    OutcomeCounts measured, unmeasured;
    std::map<std::string, uint64_t> failures;
    uint64_t output_tokens = 0, input_tokens = 0, sent_output_tokens = 0, sent_input_tokens = 0;
    BucketCounts time_to_first_token, inter_token_latency, request_latency;
  };
  std::optional<Facts> facts;
  struct Verdict {
    std::string verdict, validity;
  };
  std::optional<Verdict> verdict;
};

}  // namespace

struct CoordinatorState {
  struct Running {
    uint32_t level = 0, concurrency = 0;
    LevelPhase phase = LevelPhase::kPreparing;
    uint64_t in_flight = 0;
  };
  std::string job_id, job_name;  // empty: no job yet
  std::optional<Running> running;
  std::map<uint32_t, std::shared_ptr<const LevelSeries>> levels;  // of the job
  JobCounts jobs;
  std::array<uint64_t, 3> ended = {};  // by JobEndState
  AgentCounts agents;
  std::array<uint64_t, kCoordinatorEvents> events = {};

  void Put(LevelSeries series) {
    const uint32_t level = series.key.level;
    levels[level] = std::make_shared<const LevelSeries>(std::move(series));
    if (levels.size() > CoordinatorMetrics::kLevelsShown) levels.erase(levels.begin());
  }
  // The level's series; null when there is none of this attempt.
  const LevelSeries* Find(const LevelKey& key) const {
    const auto found = levels.find(key.level);
    return found != levels.end() && found->second->key == key ? found->second.get() : nullptr;
  }
  void Halt(uint32_t level) {
    if (running && running->level == level) running.reset();
  }
};

namespace {

LevelSeries::Facts Extract(const MeasuredFacts& facts) {
  LevelSeries::Facts out;
  out.measured = facts.measured;
  out.unmeasured = facts.unmeasured;
  for (const auto& [failure, count] : facts.failures) out.failures[FailureLabel(failure)] += count;
  out.output_tokens = facts.output_tokens;
  out.input_tokens = facts.input_tokens;
  out.sent_output_tokens = facts.sent_output_tokens;
  out.sent_input_tokens = facts.sent_input_tokens;
  out.time_to_first_token = CountByLatency(facts.histogram(Metric::kTimeToFirstToken), false);
  out.inter_token_latency = CountByLatency(facts.histogram(Metric::kInterTokenLatency), true);
  out.request_latency = CountByLatency(facts.histogram(Metric::kRequestLatency), false);
  return out;
}

LevelSeries SeriesOf(const LevelSnapshot& level) {
  LevelSeries series;
  series.key = level.key;
  series.concurrency = level.concurrency;
  series.planned_requests = level.planned_requests;
  if (level.facts != nullptr) series.facts = Extract(*level.facts);
  return series;
}

std::vector<std::string> With(std::vector<std::string> labels, std::initializer_list<const char*> more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

void WriteOutcomes(const std::vector<std::string>& level, const char* phase, const OutcomeCounts& counts, Writer& page) {
  page.Add(CoordinatorFamily::kRequests, With(level, {phase, "ok"}), counts.ok);
  page.Add(CoordinatorFamily::kRequests, With(level, {phase, "failed"}), counts.failed);
  page.Add(CoordinatorFamily::kRequests, With(level, {phase, "cancelled"}), counts.cancelled);
}

void WriteFacts(const std::vector<std::string>& level, const LevelSeries::Facts& facts, Writer& page) {
  WriteOutcomes(level, kMeasure, facts.measured, page);
  WriteOutcomes(level, kUnmeasured, facts.unmeasured, page);
  for (const auto& [failure, count] : facts.failures) {
    page.Add(CoordinatorFamily::kFailures, With(level, {failure.c_str()}), count);
  }
  page.Add(CoordinatorFamily::kOutputTokens, With(level, {kMeasure}), facts.output_tokens);
  page.Add(CoordinatorFamily::kInputTokens, With(level, {kMeasure}), facts.input_tokens);
  page.Add(CoordinatorFamily::kSentOutputTokens, level, facts.sent_output_tokens);
  page.Add(CoordinatorFamily::kSentInputTokens, level, facts.sent_input_tokens);
  page.Add(CoordinatorFamily::kTimeToFirstToken, With(level, {kMeasure}), facts.time_to_first_token);
  page.Add(CoordinatorFamily::kInterTokenLatency, With(level, {kMeasure}), facts.inter_token_latency);
  page.Add(CoordinatorFamily::kRequestLatency, With(level, {kMeasure}), facts.request_latency);
}

void WriteLevel(const LevelSeries& series, Writer& page) {
  const std::vector<std::string> level = {series.key.job_id, absl::StrCat(series.key.level),
                                          absl::StrCat(series.key.attempt), absl::StrCat(series.concurrency)};
  if (series.planned_requests > 0) page.Add(CoordinatorFamily::kLevelPlanned, level, series.planned_requests);
  if (series.facts) WriteFacts(level, *series.facts, page);
  if (!series.verdict) return;
  page.Add(CoordinatorFamily::kVerdict,
           With(level, {series.verdict->verdict.c_str(), series.verdict->validity.c_str()}), uint64_t{1});
}

void WriteCluster(const CoordinatorState& state, Writer& page) {
  using Family = CoordinatorFamily;
  const auto ended = [&state](JobEndState end) { return state.ended[static_cast<size_t>(end)]; };
  const auto count = [&state](CoordinatorEvent event) { return state.events[static_cast<size_t>(event)]; };
  page.Add(Family::kJobs, {"queued"}, state.jobs.queued);
  page.Add(Family::kJobs, {"running"}, state.jobs.running);
  page.Add(Family::kJobsEnded, {"completed"}, ended(JobEndState::kCompleted));
  page.Add(Family::kJobsEnded, {"failed"}, ended(JobEndState::kFailed));
  page.Add(Family::kJobsEnded, {"stopped"}, ended(JobEndState::kStopped));
  page.Add(Family::kAgents, {"idle"}, state.agents.idle);
  page.Add(Family::kAgents, {"busy"}, state.agents.busy);
  page.Add(Family::kAgents, {"cut_off"}, state.agents.cut_off);
  page.Add(Family::kCapacity, {}, state.agents.capacity);
  page.Add(Family::kAgentsLost, {}, count(CoordinatorEvent::kAgentLost));
  page.Add(Family::kAttemptsVoid, {}, count(CoordinatorEvent::kAttemptVoid));
  page.Add(Family::kStaleMessages, {}, count(CoordinatorEvent::kStaleMessage));
  page.Add(Family::kHellosRefused, {}, count(CoordinatorEvent::kHelloRefused));
}

void WriteJob(const CoordinatorState& state, Writer& page) {
  const std::string& job = state.job_id;
  const std::optional<CoordinatorState::Running>& running = state.running;
  page.Add(CoordinatorFamily::kJobInfo, {job, state.job_name}, uint64_t{1});
  if (running) page.Add(CoordinatorFamily::kLevelIndex, {job}, uint64_t{running->level});
  for (const LevelPhase phase : kPhases) {
    const bool now = running && running->phase == phase;
    page.Add(CoordinatorFamily::kLevelPhase, {job, LevelPhaseName(phase)}, uint64_t{now ? 1u : 0u});
  }
  page.Add(CoordinatorFamily::kTargetConcurrency, {job}, uint64_t{running ? running->concurrency : 0});
  page.Add(CoordinatorFamily::kInFlight, {job}, running ? running->in_flight : 0);
  for (const auto& [index, series] : state.levels) WriteLevel(*series, page);
}

}  // namespace

CoordinatorMetrics::CoordinatorMetrics(std::string version)
    : version_(std::move(version)), state_(std::make_unique<CoordinatorState>()) {}

CoordinatorMetrics::~CoordinatorMetrics() = default;

void CoordinatorMetrics::StartJob(const std::string& job_id, const std::string& name) {
  MutexLock lock(mutex_);
  state_->job_id = job_id;
  state_->job_name = name;
  state_->running.reset();
  state_->levels.clear();
}

void CoordinatorMetrics::EndJob(const std::string& job_id) {
  MutexLock lock(mutex_);
  if (job_id == state_->job_id) state_->running.reset();
}

void CoordinatorMetrics::SetLevel(const LevelSnapshot& level) {
  LevelSeries series = SeriesOf(level);
  MutexLock lock(mutex_);
  if (level.key.job_id != state_->job_id) return;
  state_->running = CoordinatorState::Running{level.key.level, level.concurrency, level.phase, level.in_flight};
  state_->Put(std::move(series));
}

void CoordinatorMetrics::RestoreLevel(const LevelSnapshot& level) {
  LevelSeries series = SeriesOf(level);
  MutexLock lock(mutex_);
  if (level.key.job_id == state_->job_id) state_->Put(std::move(series));
}

void CoordinatorMetrics::DropLevel(const LevelKey& key) {
  MutexLock lock(mutex_);
  if (state_->Find(key) == nullptr) return;
  state_->levels.erase(key.level);
  state_->Halt(key.level);
}

void CoordinatorMetrics::SetVerdict(const LevelKey& key, uint32_t concurrency, v1::Verdict verdict,
                                    v1::Validity validity) {
  MutexLock lock(mutex_);
  if (key.job_id != state_->job_id) return;
  const LevelSeries* const known = state_->Find(key);
  LevelSeries series = known != nullptr ? *known : LevelSeries();
  series.key = key;
  series.concurrency = concurrency;
  series.verdict = LevelSeries::Verdict{NameOr(VerdictName(verdict), "none"), NameOr(ValidityName(validity), "unknown")};
  state_->Put(std::move(series));
  state_->Halt(key.level);
}

void CoordinatorMetrics::SetJobs(const JobCounts& jobs) {
  MutexLock lock(mutex_);
  state_->jobs = jobs;
}

void CoordinatorMetrics::CountJobEnd(JobEndState state) {
  MutexLock lock(mutex_);
  ++state_->ended[static_cast<size_t>(state)];
}

void CoordinatorMetrics::SetAgents(const AgentCounts& agents) {
  MutexLock lock(mutex_);
  state_->agents = agents;
}

void CoordinatorMetrics::Count(CoordinatorEvent event, uint64_t by) {
  MutexLock lock(mutex_);
  state_->events[static_cast<size_t>(event)] += by;
}

std::string CoordinatorMetrics::Text() const {
  CoordinatorState state;
  {
    MutexLock lock(mutex_);
    state = *state_;
  }
  Writer page;
  page.Add(CoordinatorFamily::kBuildInfo, {version_}, uint64_t{1});
  WriteCluster(state, page);
  if (!state.job_id.empty()) WriteJob(state, page);
  return page.Text();
}

}  // namespace tidemark
