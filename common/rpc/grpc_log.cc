#include "common/rpc/grpc_log.h"

#include <grpc/support/log.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace tidemark {
namespace {

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void Write(gpr_log_func_args* args) {
  const LogLevel level = args->severity == GPR_LOG_SEVERITY_ERROR ? LogLevel::kWarning : LogLevel::kDebug;
  Log(level, args->message, {{"grpc", absl::StrCat(NameOf(args->file), ":", args->line)}});
}

}  // namespace

void SendGrpcLogToOurs() { gpr_set_log_function(&Write); }

}  // namespace tidemark
