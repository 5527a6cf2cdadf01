#include "agent/program/session_log.h"

#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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

std::string HandshakeHint(absl::string_view reason, bool tls) {
  const std::string lower = absl::AsciiStrToLower(reason);
  const auto says = [&lower](absl::string_view words) { return absl::StrContains(lower, words); };
  if (!tls) return says("socket closed") ? "does the coordinator run with --plaintext too?" : "";
  if (says("wrong version number")) return "the coordinator runs with --plaintext, and this agent does not";
  if (says("certificate verify failed")) return "this agent's --tls-ca has not signed the coordinator's certificate";
  if (says("hostname verification")) return "the coordinator's certificate does not name the host of --coordinator";
  if (says("is no coordinator")) return "is --coordinator the coordinator's address?";
  if (!says("socket closed")) return "";
  return "the coordinator ends the connection: its --tls-ca has perhaps not signed this agent's --tls-cert, or that has expired; "
         "its log says which";
}

// Once, not at each try.
void SessionLog::Hint(const std::string& reason) {
  const std::string hint = HandshakeHint(reason, tls_);
  if (hint.empty() || hint == hint_) return;
  hint_ = hint;
  Log(LogLevel::kWarning, hint);
}

void SessionLog::OnStep(const SessionStep& step) {
  const bool connected = step.machine.welcomed();
  if (connected && !std::exchange(connected_, connected)) {
    const SessionEpoch& epoch = step.machine.epoch();
    Log(LogLevel::kInfo, "connected to the coordinator",
        {{"store", epoch.store_uuid}, {"start", absl::StrCat(epoch.counter)}});
    hint_.clear();
  }
  connected_ = connected;
  for (const AgentEffect& effect : step.effects) LogEffect(effect);
  if (const auto* stopped = std::get_if<EngineStopped>(&step.event)) {
    LogLevelStep("level stopped", stopped->key, stopped->snapshot.measured.ok, "measured_ok");
  }
  if (const auto* lost = std::get_if<StreamLost>(&step.event)) Hint(lost->reason);
}

}  // namespace tidemark
