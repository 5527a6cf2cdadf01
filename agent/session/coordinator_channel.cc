#include "agent/session/coordinator_channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>

namespace tidemark {
namespace {

constexpr int kLargestMessage = 4 << 20;  // agent_session.proto

constexpr int kPingMillis = 15'000;
constexpr int kPingTimeoutMillis = 10'000;
constexpr int kFirstBackOffMillis = 200;
constexpr int kMostBackOffMillis = 2'000;
constexpr int kConnectMillis = 5'000;  // the least that one attempt is given
constexpr int kLookUpMillis = 2'000;   // the least time between two

}  // namespace

std::shared_ptr<grpc::Channel> DialCoordinator(const std::string& address, const TransportSecurity& security) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestMessage);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMillis);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMillis);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstBackOffMillis);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectMillis);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMostBackOffMillis);
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, kLookUpMillis);
  return grpc::CreateCustomChannel(address, MakeChannelCredentials(security), arguments);
}

}  // namespace tidemark
