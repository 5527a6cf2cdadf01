#include "common/http_server/server_tls.h"

#include <openssl/err.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace tidemark {
namespace {

constexpr unsigned char kSessionContext[] = "tidemark";

// The reason, and the queue emptied for the next one.
std::string OpenSslReason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "not readable" : reason;
}

absl::Status Unfit(absl::string_view what, const std::string& path) {
  return absl::FailedPreconditionError(absl::StrCat(what, " ", path, ": ", OpenSslReason()));
}

absl::StatusOr<std::shared_ptr<SSL_CTX>> NewContext(const HttpServerTls& files) {
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr) return absl::ResourceExhaustedError("OpenSSL could not make a context");
  SSL_CTX* const raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // A session resumed would skip the check of a certificate that may have expired since.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_session_id_context(raw, kSessionContext, sizeof(kSessionContext) - 1);
  if (SSL_CTX_use_certificate_chain_file(raw, files.cert.c_str()) != 1) return Unfit("certificate", files.cert);
  if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1) return Unfit("key", files.key);
  if (SSL_CTX_check_private_key(raw) != 1) return Unfit("key", files.key);
  if (SSL_CTX_load_verify_locations(raw, files.ca.c_str(), nullptr) != 1) return Unfit("CA", files.ca);
  SSL_CTX_set_client_CA_list(raw, SSL_load_client_CA_file(files.ca.c_str()));
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  return context;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ServerTls>> ServerTls::Load(HttpServerTls files) {
  absl::StatusOr<std::shared_ptr<SSL_CTX>> context = NewContext(files);
  if (!context.ok()) return context.status();
  return std::unique_ptr<ServerTls>(new ServerTls(std::move(files), *std::move(context)));
}

ServerTls::ServerTls(HttpServerTls files, std::shared_ptr<SSL_CTX> context)
    : files_(std::move(files)), last_good_(std::move(context)) {}

std::shared_ptr<SSL_CTX> ServerTls::Current() {
  absl::StatusOr<std::shared_ptr<SSL_CTX>> context = NewContext(files_);
  MutexLock lock(mutex_);
  const std::string reason = context.ok() ? "" : std::string(context.status().message());
  if (context.ok()) {
    last_good_ = *std::move(context);
  } else if (reason != said_) {
    Log(LogLevel::kWarning, "HTTP server goes on with the certificate it had", {{"reason", reason}});
  }
  said_ = reason;
  return last_good_;
}

}  // namespace tidemark
