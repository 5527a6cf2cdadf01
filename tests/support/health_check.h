#ifndef TIDEMARK_TESTS_SUPPORT_HEALTH_CHECK_H_
#define TIDEMARK_TESTS_SUPPORT_HEALTH_CHECK_H_

#include <string>

namespace tidemark::testing {

// What grpc.health.v1's Check answers at "host:port", in the clear: "SERVING", "NOT_SERVING", or what went wrong
// within 10 s.
std::string CheckHealth(const std::string& address);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_HEALTH_CHECK_H_
