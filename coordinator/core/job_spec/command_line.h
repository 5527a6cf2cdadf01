// The words of a command that made a job.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_COMMAND_LINE_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_COMMAND_LINE_H_

#include <string>
#include <vector>

namespace tidemark {

// --request_count=5 -> --request-count=5: both spellings are at home with our peers.
std::string WithDashes(const std::string& argument);

// The arguments without secrets: the value of --api-key gives way to --api-key-env `key_variable`,
// values of secret headers to a placeholder. What came out of it stays as it is.
std::vector<std::string> WithoutSecretArguments(const std::vector<std::string>& arguments,
                                                const std::string& key_variable);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_COMMAND_LINE_H_
