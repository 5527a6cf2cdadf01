#include "coordinator/rpc/rpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/server_builder.h>

#include "absl/strings/str_cat.h"
#include "common/rpc/deadline.h"
#include "common/rpc/no_plugins.h"

namespace tidemark {
namespace {

constexpr int kLargestReceived = 4 << 20;  // agent_session.proto; a job file is far less
constexpr int kLargestSent = 64 << 20;     // results of many levels
constexpr int kMostCalls = 100;            // of one connection

// A peer that has gone in silence is found out in half a minute; agents ping too, every 15 s.
constexpr int kPingMillis = 20'000;
constexpr int kPingTimeoutMillis = 10'000;
constexpr int kLeastPingMillis = 5'000;  // of a client without a call under way

void SetLimits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kLargestReceived);
  builder.SetMaxSendMessageSize(kLargestSent);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMostCalls);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMillis);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMillis);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kLeastPingMillis);
  // Two servers on one port would share its connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(const NetAddress& listen, const TransportSecurity& security,
                                                            bool clients_need_tokens,
                                                            const std::vector<grpc::Service*>& services) {
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  std::unique_ptr<RpcServer> server(new RpcServer());
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(ToString(listen), MakeServerCredentials(security), &port);
  SetLimits(builder);
  if (security.plaintext && clients_need_tokens) builder.SetOption(std::make_unique<NoPlugins>());
  for (grpc::Service* service : services) builder.RegisterService(service);
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr || port == 0) {
    return absl::UnavailableError(absl::StrCat("--listen: cannot listen on ", ToString(listen),
                                               ": is the port in use, and the address this host's?"));
  }
  server->address_ = {listen.host, static_cast<uint16_t>(port)};
  return server;
}

RpcServer::~RpcServer() { Shutdown(0); }

void RpcServer::Shutdown(int64_t limit_ns) {
  if (server_ != nullptr) server_->Shutdown(DeadlineIn(limit_ns));
}

}  // namespace tidemark
