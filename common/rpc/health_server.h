#ifndef TIDEMARK_COMMON_RPC_HEALTH_SERVER_H_
#define TIDEMARK_COMMON_RPC_HEALTH_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include <grpcpp/server.h>

#include "absl/status/statusor.h"
#include "common/rpc/listen_address.h"

namespace tidemark {

// gRPC's health protocol (grpc.health.v1) on a plaintext port of its own, which answers nothing else:
// probes have no certificates. It says NOT_SERVING until told otherwise. Thread-safe.
class HealthServer {
 public:
  // Starts to listen. Unavailable names the address when it cannot. At a program's start only, while
  // nothing else builds a gRPC server: the health service is switched on for the whole process meanwhile.
  static absl::StatusOr<std::unique_ptr<HealthServer>> Start(const NetAddress& listen);
  // Ends what is under way within a second.
  ~HealthServer();

  // What Check("") answers from now on, and tells those that watch.
  void SetServing(bool serving);
  // Where it listens; the port is never 0.
  const NetAddress& address() const { return address_; }

 private:
  class Refuser;
  HealthServer();

  NetAddress address_;
  const std::unique_ptr<Refuser> refuser_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_HEALTH_SERVER_H_
