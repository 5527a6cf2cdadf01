#include "simulator/tls_context.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

absl::Status Refuse(const char* flag, const std::string& file, const char* right) {
  char reason[256] = {};
  ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
  ERR_clear_error();
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " '", file, "' is refused (", reason, "); give ", right));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::FromFiles(const std::string& certificate,
                                                                  const std::string& key) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) return absl::InternalError("OpenSSL gives no context");
  auto owned = absl::WrapUnique(new TlsContext(context));
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return Refuse("tls-cert", certificate, "a readable PEM file with the certificate chain");
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return Refuse("tls-key", key, "a readable PEM file with the certificate's private key");
  }
  return owned;
}

TlsContext::~TlsContext() { SSL_CTX_free(static_cast<SSL_CTX*>(context_)); }

bufferevent* TlsContext::NewStream(event_base* base) {
  SSL* session = SSL_new(static_cast<SSL_CTX*>(context_));
  bufferevent* stream = bufferevent_openssl_socket_new(base, -1, session, BUFFEREVENT_SSL_ACCEPTING,
                                                       BEV_OPT_CLOSE_ON_FREE);
  if (stream != nullptr) bufferevent_openssl_set_allow_dirty_shutdown(stream, 1);
  return stream;
}

}  // namespace tidemark
