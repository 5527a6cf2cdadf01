#ifndef TIDEMARK_COMMON_RPC_GRPC_STATUS_H_
#define TIDEMARK_COMMON_RPC_GRPC_STATUS_H_

#include <string>

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

// Abseil's codes are gRPC's, number for number.
namespace tidemark {

inline grpc::Status ToGrpcStatus(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), std::string(status.message())};
}

inline absl::Status FromGrpcStatus(const grpc::Status& status) {
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_GRPC_STATUS_H_
