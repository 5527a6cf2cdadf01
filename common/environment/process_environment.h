#ifndef TIDEMARK_COMMON_ENVIRONMENT_PROCESS_ENVIRONMENT_H_
#define TIDEMARK_COMMON_ENVIRONMENT_PROCESS_ENVIRONMENT_H_

#include <string>
#include <vector>

namespace tidemark {

// This process's variables, each "NAME=value". Not while another thread changes them.
std::vector<std::string> ProcessEnvironment();

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_ENVIRONMENT_PROCESS_ENVIRONMENT_H_
