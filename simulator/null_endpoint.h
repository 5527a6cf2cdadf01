// The null endpoint: a server that costs as little as one can, and sends on a fixed schedule. It is what a client's own
// cost and times are measured against (`tidemark-sim --null`, tests/bench, `tidemark selftest`).
//
// Any POST is answered with 200 and a text/event-stream of max_completion_tokens (else max_tokens, else 128) chat
// completion chunks (text completion chunks at /v1/completions): the first after first_token_ms, one each inter_token_ms from then on, then the usage chunk and
// [DONE]. GET /v1/models and /health answer as the simulator does. No two tokens of a stream ever go out in one write;
// a client that does not read gets them one after the other when it does.
#ifndef TIDEMARK_SIMULATOR_NULL_ENDPOINT_H_
#define TIDEMARK_SIMULATOR_NULL_ENDPOINT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace tidemark {

struct NullOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0 picks a free one
  double first_token_ms = 100;
  double inter_token_ms = 20;
  size_t event_bytes = 250;  // of a token's event, without the chunk's frame
  std::string model = "tidemark-sim";
  std::string send_log;  // file of send_log.h; empty: none
  int cpu = -1;          // the only core that its thread may use; -1: any
};

// Thread-compatible. Its server is one epoll loop on a thread of its own.
class NullEndpoint {
 public:
  NullEndpoint();
  ~NullEndpoint();  // stops it
  NullEndpoint(const NullEndpoint&) = delete;
  NullEndpoint& operator=(const NullEndpoint&) = delete;

  // Listens and serves; the answer is the port. InvalidArgument for a bad option, Unavailable when the address, the
  // core or the log cannot be had, FailedPrecondition when it runs already.
  absl::StatusOr<int> Start(const NullOptions& options);

  // "http://127.0.0.1:PORT". REQUIRES: Start succeeded.
  std::string url() const;

  // Cuts what is unfinished, closes the log, and waits for the thread. May be called again, and without a Start.
  void Stop();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_NULL_ENDPOINT_H_
