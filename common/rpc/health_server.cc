#include "common/rpc/health_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"
#include "common/rpc/deadline.h"
#include "common/rpc/no_plugins.h"

namespace tidemark {

// Answers UNIMPLEMENTED to whatever is not health; gRPC builds no server without a service.
class HealthServer::Refuser final : public grpc::CallbackGenericService {};

absl::StatusOr<std::unique_ptr<HealthServer>> HealthServer::Start(const NetAddress& listen) {
  std::unique_ptr<HealthServer> health(new HealthServer());
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(ToString(listen), grpc::InsecureServerCredentials(), &port);
  // Two servers on one port would share its connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetOption(std::make_unique<NoPlugins>());
  builder.RegisterCallbackGenericService(health->refuser_.get());
  grpc::EnableDefaultHealthCheckService(true);
  health->server_ = builder.BuildAndStart();
  grpc::EnableDefaultHealthCheckService(false);
  if (health->server_ == nullptr || port == 0) {
    return absl::UnavailableError(absl::StrCat("the health service cannot listen on ", ToString(listen),
                                               ": is the port in use, and the address this host's?"));
  }
  health->address_ = {listen.host, static_cast<uint16_t>(port)};
  health->SetServing(false);
  return health;
}

HealthServer::HealthServer() : refuser_(std::make_unique<Refuser>()) {}

HealthServer::~HealthServer() {
  if (server_ != nullptr) server_->Shutdown(DeadlineIn(kNanosPerSecond));
}

void HealthServer::SetServing(bool serving) { server_->GetHealthCheckService()->SetServingStatus(serving); }

}  // namespace tidemark
