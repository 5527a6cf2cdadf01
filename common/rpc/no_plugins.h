#ifndef TIDEMARK_COMMON_RPC_NO_PLUGINS_H_
#define TIDEMARK_COMMON_RPC_NO_PLUGINS_H_

#include <grpcpp/server_builder.h>

#include <memory>
#include <vector>

namespace tidemark {

// For ServerBuilder::SetOption. A library that is linked adds its services to every server of the process (reflection
// does): this server has only what was registered with it.
class NoPlugins final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override { plugins->clear(); }
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_NO_PLUGINS_H_
