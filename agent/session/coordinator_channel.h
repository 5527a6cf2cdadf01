#ifndef TIDEMARK_AGENT_SESSION_COORDINATOR_CHANNEL_H_
#define TIDEMARK_AGENT_SESSION_COORDINATOR_CHANNEL_H_

#include <memory>
#include <string>

#include <grpcpp/channel.h>

#include "common/rpc/credentials.h"

namespace tidemark {

// An agent's connection to the coordinator at "host:port", made when it is first used and again whenever it was lost:
// soon, for the lease is seconds. Pings keep it open through NAT and find out a peer that has gone in silence. Names
// are looked up anew, since a coordinator may come back at another address.
std::shared_ptr<grpc::Channel> DialCoordinator(const std::string& address, const TransportSecurity& security);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_COORDINATOR_CHANNEL_H_
