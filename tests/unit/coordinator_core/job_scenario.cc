#include "tests/unit/coordinator_core/job_scenario.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tidemark {
namespace {

std::string At(const LevelKey& key) {
  return absl::StrCat(" level ", key.level, " attempt ", key.attempt);
}

struct Describer {
  std::string operator()(const SendProbe& e) const { return absl::StrCat("PROBE ", e.agent); }
  std::string operator()(const SendPrepare& e) const {
    const Share& s = e.task.share;
    return absl::StrCat("PREPARE ", e.agent, At(e.task.key), " slots ", s.first_slot, "+", s.slots,
                        " requests ", s.first_request, "+", s.requests);
  }
  std::string operator()(const SendArm& e) const {
    return absl::StrCat("ARM ", e.agent, At(e.key), " at ", e.start_at);
  }
  std::string operator()(const SendMeasure& e) const {
    return absl::StrCat("MEASURE ", e.agent, At(e.key), " at ", e.start_at);
  }
  std::string operator()(const SendStop& e) const {
    return absl::StrCat("STOP ", e.agent, At(e.key), " drain ", e.drain_ns);
  }
  std::string operator()(const SendCancel& e) const {
    return absl::StrCat("CANCEL ", e.agent, At(e.key), ": ", e.reason);
  }
  std::string operator()(const SendPullRecords& e) const {
    return absl::StrCat("PULL ", e.agent, At(e.key));
  }
  std::string operator()(const SetTimer& e) const { return absl::StrCat("TIMER ", e.at); }
  std::string operator()(const PhaseChanged& e) const {
    return absl::StrCat("PHASE ", LevelPhaseName(e.phase), At(e.key), " N ", e.concurrency);
  }
  std::string operator()(const ProbeTaken& e) const {
    return absl::StrCat("TAKEN probe, search max ", e.search_max);
  }
  std::string operator()(const AttemptVoided& e) const {
    return absl::StrCat("VOID", At(e.key), " N ", e.concurrency, " sent ", e.attempt.sent.requests, ": ", e.attempt.agent,
                        " ", e.attempt.reason);
  }
  std::string operator()(const LevelFinished& e) const {
    const LevelMeasurement& m = *e.measurement;
    return absl::StrCat("LEVEL", At(m.key), " N ", m.plan.concurrency, " parts ", m.parts.size(),
                        " voided ", m.voided.size(), m.stopped_early ? " stopped early" : "",
                        m.drain_deadline_passed ? " drain deadline" : "");
  }
  std::string operator()(const JobFinished& e) const {
    const char* ends[] = {"completed", "stopped", "failed"};
    return absl::StrCat("END ", ends[static_cast<int>(e.end)], e.reason.empty() ? "" : ": ",
                        e.reason);
  }
  std::string operator()(const tidemark::Say& e) const {
    return absl::StrCat(e.warning ? "WARN " : "SAY ", e.text);
  }
};

}  // namespace

std::string Describe(const JobEffect& effect) { return std::visit(Describer(), effect); }

JobMachineOptions JobScenario::Options(bool one_host) {
  JobMachineOptions options;
  options.job_id = "job";
  options.nonce = "nonce";
  options.one_host = one_host;
  return options;
}

JobScenario::JobScenario(JobSpec spec, bool one_host) : JobScenario(std::move(spec), Options(one_host)) {}

JobScenario::JobScenario(JobSpec spec, JobMachineOptions options) : machine_(std::move(spec), std::move(options)) {
  judge = [](const LevelMeasurement&) { return Verdict::kPass; };
  probed.set_model("m");
  probed.set_fixed_output_length(true);
  probed.set_calibrated(true);
  probed.mutable_calibration()->set_slope(1.3);
  probed.set_latency_us(2'000'000);
}

JobSpec JobScenario::List(std::vector<uint32_t> concurrency, uint64_t request_count) {
  JobSpec spec;
  spec.endpoint.urls = {"http://host/v1/chat/completions"};
  spec.concurrency = std::move(concurrency);
  spec.request_count = request_count;
  return spec;
}

JobScenario& JobScenario::Join(const std::string& id, uint32_t capacity) {
  AgentInfo agent;
  agent.id = id;
  agent.incarnation = id + "-1";
  agent.capacity = capacity;
  return Say(AgentJoined{agent});
}

JobScenario& JobScenario::Say(const JobEvent& event) {
  queue_.push_back(event);
  Drain();
  return *this;
}

JobScenario& JobScenario::Mute(const std::string& kind, const std::string& agent) {
  muted_.insert({kind, agent});
  return *this;
}

JobScenario& JobScenario::Unmute(const std::string& kind, const std::string& agent) {
  muted_.erase({kind, agent});
  return *this;
}

JobScenario& JobScenario::Answer() {
  std::vector<Held> held;
  held.swap(held_);
  for (Held& h : held) queue_.push_back(std::move(h.event));
  Drain();
  return *this;
}

JobScenario& JobScenario::Wait(double seconds) {
  const int64_t end = now_ + static_cast<int64_t>(seconds * kSecond);
  for (int turns = 0; turns < 10'000 && timer_ && *timer_ <= end && !finished(); ++turns) {
    now_ = std::max(now_, *timer_);
    timer_.reset();
    Say(TimerFired{});
  }
  now_ = std::max(now_, end);
  return *this;
}

size_t JobScenario::Count(const std::string& prefix) const {
  return static_cast<size_t>(
      std::count_if(log_.begin(), log_.end(),
                    [&prefix](const std::string& l) { return absl::StartsWith(l, prefix); }));
}

std::string JobScenario::Last(const std::string& prefix) const {
  const auto it = std::find_if(log_.rbegin(), log_.rend(), [&prefix](const std::string& l) {
    return absl::StartsWith(l, prefix);
  });
  return it == log_.rend() ? "" : *it;
}

void JobScenario::Drain() {
  for (int turns = 0; turns < 10'000 && !queue_.empty(); ++turns) {
    const JobEvent event = queue_.front();
    queue_.pop_front();
    Feed(event);
  }
}

void JobScenario::Feed(const JobEvent& event) {
  events_.emplace_back(event, now_);
  if (const auto* facts = std::get_if<AgentFacts>(&event)) {
    measured_[facts->agent] = facts->facts.measured;
  }
  const JobEffects effects = machine_.Handle(event, now_);
  if (witness) witness(event, effects);
  for (const JobEffect& effect : effects) {
    log_.push_back(Describe(effect));
    Take(effect);
  }
}

bool JobScenario::Muted(const std::string& kind, const std::string& agent) const {
  return muted_.count({kind, agent}) > 0 || muted_.count({kind, ""}) > 0;
}

void JobScenario::Reply(const std::string& kind, const std::string& agent,
                        std::vector<JobEvent> events) {
  for (JobEvent& event : events) {
    const bool warm = std::holds_alternative<AgentWarm>(event);
    const bool done = std::holds_alternative<AgentShareDone>(event);
    if (Muted(kind, agent) || (warm && Muted("WARM", agent)) || (done && Muted("DONE", agent))) {
      held_.push_back({kind, agent, std::move(event)});
    } else {
      queue_.push_back(std::move(event));
    }
  }
}

AgentStopped JobScenario::StoppedOf(const std::string& agent, const LevelKey& key) {
  AgentStopped stopped;
  stopped.agent = agent;
  stopped.key = key;
  stopped.snapshot.measured = measured_[agent];
  stopped.snapshot.records_bytes = shares_[agent].slots > 0 ? records_bytes : 0;
  if (tamper) tamper(&stopped);
  return stopped;
}

void JobScenario::Take(const JobEffect& effect) {
  if (const auto* probe = std::get_if<SendProbe>(&effect)) {
    Reply("PROBE", probe->agent, {AgentProbed{probe->agent, {probed}}});
  } else if (const auto* prepare = std::get_if<SendPrepare>(&effect)) {
    shares_[prepare->agent] = prepare->task.share;
    measured_[prepare->agent] = {};
    answered_.erase(prepare->agent);
    Reply("PREPARE", prepare->agent, {AgentReady{prepare->agent, prepare->task.key, "", {}}});
  } else if (const auto* arm = std::get_if<SendArm>(&effect)) {
    Reply("ARM", arm->agent,
          {AgentStarted{arm->agent, arm->key, 0}, AgentWarm{arm->agent, arm->key, false, 1000}});
  } else if (const auto* measure = std::get_if<SendMeasure>(&effect)) {
    AgentFacts facts{measure->agent, measure->key, {}};
    facts.facts.measured.sent = facts.facts.measured.ok = shares_[measure->agent].requests;
    facts.facts.histogram(Metric::kRequestLatency).Record(3'000'000, facts.facts.measured.ok);
    if (!answered_.insert(measure->agent).second) return;  // said again: facts count once
    Reply("MEASURE", measure->agent, {facts, AgentShareDone{measure->agent, measure->key}});
  } else if (const auto* stop = std::get_if<SendStop>(&effect)) {
    Reply("STOP", stop->agent, {StoppedOf(stop->agent, stop->key)});
  } else if (const auto* cancel = std::get_if<SendCancel>(&effect)) {
    Reply("CANCEL", cancel->agent, {StoppedOf(cancel->agent, cancel->key)});
  } else if (const auto* pull = std::get_if<SendPullRecords>(&effect)) {
    Reply("PULL", pull->agent, {AgentRecordsStored{pull->agent, pull->key, records_bytes, ""}});
  } else if (const auto* timer = std::get_if<SetTimer>(&effect)) {
    timer_ = timer->at;
  } else if (const auto* level = std::get_if<LevelFinished>(&effect)) {
    levels_.push_back(*level->measurement);
    LevelOutcome outcome;
    outcome.level = level->measurement->plan.concurrency;
    outcome.verdict = judge(*level->measurement);
    if (loads) outcome.loads = loads(*level->measurement);
    outcome.spread = machine_.CanSpread(outcome);
    queue_.push_back(LevelJudged{level->measurement->key, outcome});
  } else if (const auto* end = std::get_if<JobFinished>(&effect)) {
    end_ = *end;
  }
}

}  // namespace tidemark
