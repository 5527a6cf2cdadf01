#ifndef TIDEMARK_COORDINATOR_RPC_REQUEST_RULES_H_
#define TIDEMARK_COORDINATOR_RPC_REQUEST_RULES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "proto/tidemark/v1/benchmark.pb.h"

// What a request of the public API may hold. Errors: InvalidArgument naming the field, its value and what would
// be right. Pure.
namespace tidemark {

inline constexpr size_t kLargestJobYaml = size_t{1} << 20;
inline constexpr uint32_t kLargestPage = 100;

absl::Status CheckRequest(const v1::CreateJobRequest& request);
absl::Status CheckRequest(const v1::ListJobsRequest& request);
// 1 to 64 of [A-Za-z0-9._-], the first a letter or digit: safe in a path.
absl::Status CheckJobId(const std::string& job_id);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_REQUEST_RULES_H_
