#ifndef TIDEMARK_COMMON_RPC_GRPC_LOG_H_
#define TIDEMARK_COMMON_RPC_GRPC_LOG_H_

namespace tidemark {

// From now on what gRPC itself has to say (handshakes that fail, files that cannot be read) goes into our log, so
// that a log of JSON lines holds nothing else. Its errors are warnings of ours: it goes on after each. Call it before
// gRPC has threads.
void SendGrpcLogToOurs();

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_GRPC_LOG_H_
