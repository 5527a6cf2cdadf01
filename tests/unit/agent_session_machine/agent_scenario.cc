#include "tests/unit/agent_session_machine/agent_scenario.h"

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

std::string At(const LevelKey& key) { return absl::StrCat(" ", key.level, "/", key.attempt); }
std::string At(const v1::LevelKey& key) {
  return absl::StrCat(" ", key.level(), "/", key.attempt());
}

std::string Describe(const v1::AgentMessage& m) {
  if (m.has_hello()) return "Hello";
  if (m.has_heartbeat()) return "Heartbeat";
  if (m.has_pong()) return "Pong";
  if (m.has_probed()) return absl::StrCat("Probed ", m.probed().model());
  if (m.has_ready()) {
    return absl::StrCat("Ready", At(m.ready().key()), m.ready().error().empty() ? "" : " error");
  }
  if (m.has_started()) return absl::StrCat("Started", At(m.started().key()));
  if (m.has_warm()) return absl::StrCat("Warm", At(m.warm().key()));
  if (m.has_share_done()) return absl::StrCat("ShareDone", At(m.share_done().key()));
  if (m.has_leaving()) return absl::StrCat("Leaving: ", m.leaving().reason());
  if (m.has_report()) {
    return absl::StrCat("Report", At(m.report().key()), " #", m.report().delta().sequence());
  }
  return absl::StrCat("Stopped", At(m.stopped().key()), " deltas ", m.stopped().snapshot().deltas(),
                      m.stopped().error().empty() ? "" : ": ", m.stopped().error());
}

struct Describer {
  std::string operator()(const OpenStream&) const { return "open"; }
  std::string operator()(const CloseStream& e) const { return "close: " + e.reason; }
  std::string operator()(const SendToCoordinator& e) const { return Describe(e.message); }
  std::string operator()(const WakeAt&) const { return ""; }
  std::string operator()(const RunProbe&) const { return "probe"; }
  std::string operator()(const EnginePrepare& e) const { return "engine prepare" + At(e.task.key); }
  std::string operator()(const EngineArm& e) const {
    return absl::StrCat("engine arm", At(e.key), " at ", e.start, " origin ", e.slice_origin);
  }
  std::string operator()(const EngineMeasure& e) const {
    return absl::StrCat("engine measure", At(e.key), " at ", e.start);
  }
  std::string operator()(const EngineStop& e) const {
    return absl::StrCat("engine stop", At(e.key), " drain ", e.drain_ns);
  }
  std::string operator()(const EngineCancel& e) const { return "engine cancel" + At(e.key); }
  std::string operator()(const EngineSetSendDeadline& e) const {
    return absl::StrCat("deadline ", e.until / kSecond);
  }
  std::string operator()(const UploadRecords& e) const { return "upload" + At(e.key); }
  std::string operator()(const AgentLog& e) const { return "log: " + e.text; }
  std::string operator()(const ExitAgent& e) const {
    return absl::StrCat(e.failed ? "fails: " : "exits: ", e.reason);
  }
};

}  // namespace

std::string Describe(const AgentEffect& effect) { return std::visit(Describer(), effect); }

}  // namespace tidemark
