#include "common/rpc/grpc_log.h"

#include <grpc/support/log.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace tidemark {
namespace {

// Errors come with all that led to them, in JSON, of hundreds of characters: what happened stands before it.
std::string WithoutDump(const std::string& text) {
  constexpr size_t kMost = 200;
  const std::string plain = text.substr(0, text.find('{'));
  return plain.size() <= kMost ? plain : plain.substr(0, kMost) + "…";
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void Write(gpr_log_func_args* args) {
  const LogLevel level = args->severity == GPR_LOG_SEVERITY_ERROR ? LogLevel::kWarning : LogLevel::kDebug;
  Log(level, WithoutDump(args->message), {{"grpc", absl::StrCat(NameOf(args->file), ":", args->line)}});
}

}  // namespace

void SendGrpcLogToOurs() { gpr_set_log_function(&Write); }

}  // namespace tidemark
