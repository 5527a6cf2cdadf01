#ifndef TIDEMARK_COMMON_ENVIRONMENT_ENVIRONMENT_H_
#define TIDEMARK_COMMON_ENVIRONMENT_ENVIRONMENT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "proto/tidemark/v1/result.pb.h"

// What this process is and runs on, for the record. Thread-safe.
namespace tidemark {

// All but the version of libcurl.
v1::Environment DescribeHost();

// Cores that the process may run on.
uint32_t AllowedCores();

// "0.1.0".
std::string VersionString();

// "tidemark 0.1.0 (gcc 12.2.0)".
std::string BuildString();

// The first "model name" of /proc/cpuinfo, or "Model" or "Hardware" of ARM's; empty when there is none. Pure.
std::string ParseCpuModel(absl::string_view cpuinfo);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_ENVIRONMENT_ENVIRONMENT_H_
