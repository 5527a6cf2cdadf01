#ifndef TIDEMARK_AGENT_SESSION_PROBE_REQUESTS_H_
#define TIDEMARK_AGENT_SESSION_PROBE_REQUESTS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/engine/single_request.h"
#include "agent/session/model_list.h"
#include "agent/session/probe_fault.h"
#include "agent/session/prober.h"
#include "common/http_client/http_client.h"

namespace tidemark {

// The requests of one probe, and what they have cost so far. Every prompt differs from every other
// of the job. Errors come as faults, with no secret in them. Blocks; single-threaded; task, options
// and clock outlive it.
class ProbeRequests {
 public:
  struct Counts {
    uint32_t requests = 0;
    uint64_t input_tokens = 0;
    uint64_t output_tokens = 0;
  };
  struct Answer {
    std::optional<ProbeFault> fault;  // none: it succeeded
    SingleResult result;
  };
  struct Models {
    std::optional<ProbeFault> fault;
    bool listed = false;  // the endpoint has a list of models
    std::vector<ServedModel> served;
  };

  ProbeRequests(const ProbeTask& task, const ProberOptions& options, const Clock* clock);

  // One request as the load sends it, to `url`. When the endpoint refuses the fixed output length,
  // once more without; that has worked when `workload` comes back without it.
  Answer Send(const std::string& url, const EndpointSpec& endpoint, WorkloadSpec* workload,
              uint32_t words, uint32_t output_tokens);

  // The list of models beside `url`, in `limit_ms` and the task's limits. No list is no fault.
  Models ListModels(const std::string& url, uint64_t limit_ms);

  // Of the server's version endpoint; empty when it has none. At most a second.
  std::string ServerVersion(const std::string& url);

  // Calls `attempt` (it returns its fault) until it works, fails for good, or the task's time to
  // wait for readiness is over; a second between the calls.
  void UntilReady(const std::function<std::optional<ProbeFault>()>& attempt);

  // An Authorization header goes with the requests to `url`.
  bool Authorized(const std::string& url) const;
  bool cancelled() const { return options_.cancelled && options_.cancelled(); }
  const Counts& counts() const { return counts_; }

 private:
  Answer SendOnce(const std::string& url, const EndpointSpec& endpoint,
                  const WorkloadSpec& workload, uint32_t words, uint32_t output_tokens);
  void Count(const SingleResult& result, uint32_t words);
  ProbeFault FaultOf(const std::string& url, const absl::Status& status) const;
  ProbeFault FaultOf(const std::string& url, const SingleResult& result) const;
  // GET, with the load's headers. The fault when there is no answer.
  std::optional<ProbeFault> Get(const std::string& url, const std::string& target,
                                uint64_t limit_ms, HttpResponse* response);
  TimeLimits Limits() const;
  // The endpoint with this URL alone.
  EndpointSpec EndpointAt(const std::string& url) const;
  Redactor RedactorFor(const std::string& url) const;

  const ProbeTask& task_;
  const ProberOptions& options_;
  const Clock* const clock_;
  const int64_t ready_deadline_;
  uint64_t next_index_ = 0;
  Counts counts_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_PROBE_REQUESTS_H_
