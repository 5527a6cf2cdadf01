#ifndef TIDEMARK_COORDINATOR_RPC_RPC_SERVER_H_
#define TIDEMARK_COORDINATOR_RPC_RPC_SERVER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include <grpcpp/server.h>

#include "absl/status/statusor.h"
#include "common/rpc/credentials.h"
#include "common/rpc/listen_address.h"

namespace tidemark {

// The coordinator's gRPC server: its services and reflection on one port, under one set of limits. Thread-safe.
class RpcServer {
 public:
  // Starts to listen. The services must outlive it. Unavailable names the address when it cannot. Without reflection where
  // it would be all that answers without a credential: in plaintext, where clients need tokens. REQUIRES: CheckSecurity
  // was OK.
  static absl::StatusOr<std::unique_ptr<RpcServer>> Start(const NetAddress& listen, const TransportSecurity& security,
                                                          bool clients_need_tokens,
                                                          const std::vector<grpc::Service*>& services);
  ~RpcServer();  // Shutdown(0)

  // No new call is taken; what is under way is cut after `limit_ns`. Idempotent.
  void Shutdown(int64_t limit_ns);
  // Where it listens; the port is never 0.
  const NetAddress& address() const { return address_; }

 private:
  RpcServer() = default;

  NetAddress address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_RPC_SERVER_H_
