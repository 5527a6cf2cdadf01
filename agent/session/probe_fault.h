#ifndef TIDEMARK_AGENT_SESSION_PROBE_FAULT_H_
#define TIDEMARK_AGENT_SESSION_PROBE_FAULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/tidemark/v1/agent_session.pb.h"

// What a failed request of the probe means, and what its user should change. Pure.
namespace tidemark {

// One request of the probe that failed.
struct ProbeFault {
  std::string failure_class;  // docs/metrics.md; "http_404"
  int status = 0;             // HTTP's; 0: no answer
  std::string url;
  std::string reason;   // in words
  std::string excerpt;  // the beginning of the answer's body
};

// What was asked for: hints speak of it.
struct ProbeSubject {
  std::string api;
  std::string model;                // empty: none is named
  std::vector<std::string> served;  // models the endpoint lists, when that is known
  std::string api_key_env;          // empty: no key is named
  bool authorized = false;          // an Authorization header or a key was sent
  bool ca_cert = false;             // a CA of the user's own is named
  double input_tokens = 0, output_tokens = 0;
};

// The job cannot go on: asking again would give the same. What a loaded or a starting server gives
// (429, 5xx, time-outs, broken streams) is none.
bool IsRefusal(const ProbeFault& fault);

// With --wait-ready: what an endpoint gives that is still coming up.
bool MayComeUp(const ProbeFault& fault);

// The endpoint may have refused ignore_eos and min_tokens.
bool MayRefuseFixedLength(const ProbeFault& fault);

// One sentence: what to change. Empty when nothing better can be said than the reason.
std::string HintFor(const ProbeFault& fault, const ProbeSubject& subject);

// With hint and refusal; texts are cut (excerpt: 300 bytes) and made valid UTF-8.
v1::ProbeFailure EncodeProbeFault(const ProbeFault& fault, const ProbeSubject& subject);

// At most `limit` bytes of `text` as valid UTF-8.
std::string Shortened(absl::string_view text, size_t limit);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_PROBE_FAULT_H_
