#ifndef TIDEMARK_COMMON_RPC_DEADLINE_H_
#define TIDEMARK_COMMON_RPC_DEADLINE_H_

#include <cstdint>

#include <grpc/support/time.h>

namespace tidemark {

// A gRPC deadline so many nanoseconds from now, whatever the calendar does meanwhile: for
// ClientContext::set_deadline and Server::Shutdown. gRPC counts a time span from the moment that it gets it.
inline gpr_timespec DeadlineIn(int64_t ns) { return gpr_time_from_nanos(ns, GPR_TIMESPAN); }

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_DEADLINE_H_
