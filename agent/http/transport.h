#ifndef TIDEMARK_AGENT_HTTP_TRANSPORT_H_
#define TIDEMARK_AGENT_HTTP_TRANSPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/core/outcome.h"
#include "common/local_address/source_address.h"
#include "common/measurement/histogram.h"

namespace tidemark {

// What happens to one request on the wire. Calls come on the loop's thread, in wire order, none
// after OnResponseEnd, OnFailure or Transport::Abort. Times: CLOCK_MONOTONIC ns, in the wire's order too. That of
// received bytes (status, headers, body, and the end where bytes told it) is when they arrived, which may lie long
// before the loop's time.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;

  // The kept connection it was sent on turned out to have been closed by the peer before any byte
  // of an answer: it is sent once more on a new one. The only retry there is.
  virtual void OnResent(int64_t now) = 0;
  // A new connection was made for it (not called when one is re-used). `address` is "ip:port".
  virtual void OnConnected(int64_t now, absl::string_view address) = 0;
  virtual void OnTlsDone(int64_t now, absl::string_view version) = 0;
  virtual void OnStatus(int status, int64_t now) = 0;
  virtual void OnHeader(absl::string_view name, absl::string_view value) = 0;
  virtual void OnHeadersEnd(int64_t now) = 0;
  // Bytes of the body (chunk framing removed). All bytes of one network read have one `read` number
  // and one `now`. Returns false to refuse more: the connection is closed and no further call
  // comes.
  virtual bool OnBody(absl::string_view bytes, int64_t now, uint64_t read) = 0;
  // The response is complete. `clean` is false when the peer closed inside the body's framing.
  virtual void OnResponseEnd(bool clean, int64_t now) = 0;
  // `detail` says what failed in words (no secrets).
  virtual void OnFailure(FailureClass failure, int64_t now, absl::string_view detail) = 0;
};

// One target: where a URL's requests go.
struct TransportTarget {
  std::string url;                     // full, with path
  std::vector<std::string> addresses;  // "ip:port" the name resolved to, not empty
  bool tls = false;
  bool insecure_skip_verify = false;
  std::string ca_cert;  // path; empty: the system's
};

struct OutgoingRequest {
  uint32_t target = 0;     // index into TransportOptions::targets
  uint32_t address = 0;    // index into that target's addresses, for a new connection
  absl::string_view body;  // must live until the request has ended
};

struct TransportOptions {
  std::vector<TransportTarget> targets;
  std::vector<std::string> headers;  // "Name: value", sent with every request; may hold a secret
  std::vector<SourceAddress> sources;  // connections come from these in turn; empty: the system chooses
  uint32_t slots = 0;                // concurrent requests; also the number of kept connections
  int64_t connect_timeout = 30'000'000'000;  // ns; the only limit a transport keeps itself
  bool kernel_stamps = true;  // arrival times are the kernel's where it tells them; else the loop's
};

// Sends HTTP POSTs and reports what comes back. One a loop thread, single-threaded. The seam
// between the engine and libcurl; tests have an in-memory one.
class Transport {
 public:
  virtual ~Transport() = default;

  // Sends `request` for `slot` (0 … slots - 1), re-using an idle connection where there is one.
  // At most one request a slot; a slot is free once its handler got OnResponseEnd or OnFailure,
  // refused a body, or was aborted. `handler` may hear of the connection and the answer before Send
  // returns, but never of an end (OnResponseEnd, OnFailure). May be called from within a handler.
  virtual void Send(uint32_t slot, const OutgoingRequest& request, ResponseHandler* handler) = 0;

  // Ends the slot's request, closing its connection. No further call to its handler. No-op when
  // idle. May be called from within a handler.
  virtual void Abort(uint32_t slot) = 0;

  struct Counters {
    uint64_t connections_opened = 0;
    uint64_t connections_open = 0, connections_open_max = 0;
    uint64_t reused_stale = 0;   // re-sent once on a new connection since a kept one was closed
    uint64_t queued_inside = 0;  // requests that waited inside the library for a connection
  };
  virtual Counters counters() const = 0;

  // Reads that brought bytes, and how long the kernel had held those of them that it stamped.
  struct ReadFacts {
    uint64_t reads = 0;
    Histogram delay_us;
  };
  // Since the last call.
  virtual ReadFacts TakeReadFacts() = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_HTTP_TRANSPORT_H_
