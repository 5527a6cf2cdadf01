// The HTTP side of the simulator on one event loop: routes requests, feeds the token schedule, and
// writes what it emits at the times that it names.
#ifndef TIDEMARK_SIMULATOR_INFERENCE_SERVER_H_
#define TIDEMARK_SIMULATOR_INFERENCE_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/exchange.h"
#include "simulator/fault_plan.h"
#include "simulator/options.h"
#include "simulator/request_json.h"
#include "simulator/seeded_random.h"
#include "simulator/stats.h"
#include "simulator/token_schedule.h"

struct event;
struct event_base;
struct evhttp_request;

namespace tidemark {

// For the thread that runs the loop of `base` only (made and destroyed while it does not run).
class InferenceServer {
 public:
  // `base` must outlive it. REQUIRES: CheckOptions(options) is ok.
  InferenceServer(event_base* base, SimulatorOptions options);
  // Cuts the connections of unfinished answers.
  ~InferenceServer();
  InferenceServer(const InferenceServer&) = delete;
  InferenceServer& operator=(const InferenceServer&) = delete;

  // Takes over the request, as evhttp's general callback has it.
  void Handle(evhttp_request* request);

  void CountConnection() { ++stats_.connections; }

 private:
  struct Stream;
  struct Appointment {  // a delayed arrival, or a script's next step
    SimTime time;
    uint64_t id;
    bool operator>(const Appointment& other) const {
      return time != other.time ? time > other.time : id > other.id;
    }
  };

  SimTime Now() const;
  void Route(evhttp_request* request, const std::string& path, bool post);
  bool Allowed(evhttp_request* request, const std::string& path) const;
  void Refuse(evhttp_request* request, int status, const char* type, const std::string& message);
  void ReplyJson(evhttp_request* request, const std::string& body);
  std::string ModelsJson() const;

  void HandleCompletion(evhttp_request* request, CompletionApi api);
  bool RefuseModel(evhttp_request* request, const CompletionRequest& completion);
  void StartCompletion(evhttp_request* request, const CompletionRequest& completion,
                       const std::optional<Fault>& fault);
  void DrawLength(Stream* stream);
  void StartScript(evhttp_request* request);
  Stream* Adopt(evhttp_request* request);

  void Turn();
  void KeepAppointments(SimTime now);
  void PlayScript(uint64_t id, SimTime now);
  void EmitDue(SimTime now);
  void Deliver(const TokenEmission& emission);
  void DeliverToken(Stream* stream, const TokenEmission& emission, bool finished);
  void Finish(uint64_t id, Stream* stream);
  void Strike(uint64_t id, Stream* stream);
  void Gone(uint64_t id);
  void Forget(uint64_t id);
  void ArmTimer();

  event_base* const base_;
  const SimulatorOptions options_;
  const bool direct_writes_;
  std::unique_ptr<TokenSchedule> schedule_;
  FaultPlan faults_;
  SeededRandom lengths_;
  SimulatorStats stats_;
  int64_t created_ = 0;  // seconds since 1970 at the start
  uint64_t next_id_ = 1;
  std::unordered_map<uint64_t, std::unique_ptr<Stream>> streams_;
  std::priority_queue<Appointment, std::vector<Appointment>, std::greater<Appointment>>
      appointments_;
  event* timer_ = nullptr;
  SimTime armed_ = 0;  // 0: not armed
  std::vector<TokenEmission> emissions_;
  std::string text_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_INFERENCE_SERVER_H_
