#include "agent/program/session_log.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/overloaded.h"

namespace tidemark {
namespace {

void LogLevelStep(const char* what, const LevelKey& key, uint64_t figure, const char* name) {
  Log(LogLevel::kInfo, what,
      {{"job", key.job_id}, {"level", absl::StrCat(key.level)}, {"attempt", absl::StrCat(key.attempt)}, {name, absl::StrCat(figure)}});
}

void LogEffect(const AgentEffect& effect) {
  std::visit(Overloaded{
                 [](const EnginePrepare& e) { LogLevelStep("level prepared", e.task.key, e.task.share.slots, "slots"); },
                 [](const RunProbe& e) { Log(LogLevel::kInfo, "probe", {{"job", e.task.job_id}}); },
                 [](const EngineCancel& e) { LogLevelStep("level cancelled", e.key, e.key.attempt, "of_attempt"); },
                 [](const auto&) {},
             },
             effect);
}

}  // namespace

void SessionLog::OnStep(const SessionStep& step) {
  const bool connected = step.machine.welcomed();
  if (connected && !std::exchange(connected_, connected)) {
    const SessionEpoch& epoch = step.machine.epoch();
    Log(LogLevel::kInfo, "connected to the coordinator",
        {{"store", epoch.store_uuid}, {"start", absl::StrCat(epoch.counter)}});
  }
  connected_ = connected;
  for (const AgentEffect& effect : step.effects) LogEffect(effect);
  if (const auto* stopped = std::get_if<EngineStopped>(&step.event)) {
    LogLevelStep("level stopped", stopped->key, stopped->snapshot.measured.ok, "measured_ok");
  }
}

}  // namespace tidemark
