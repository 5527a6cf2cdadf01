#include "tests/support/test_certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace tidemark::testing {
namespace {

constexpr int kBackdated = -3600, kLifetime = 3600;  // seconds

void AddExtension(X509* cert, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, cert, cert, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  X509_add_ext(cert, extension, -1);
  X509_EXTENSION_free(extension);
}

X509* SelfSigned(EVP_PKEY* key) {
  X509* cert = X509_new();
  X509_set_version(cert, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert), kBackdated);
  X509_gmtime_adj(X509_getm_notAfter(cert), kLifetime);
  X509_set_pubkey(cert, key);
  X509_NAME* name = X509_get_subject_name(cert);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("tidemark test"), -1, -1, 0);
  X509_set_issuer_name(cert, name);
  AddExtension(cert, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(cert, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
  X509_sign(cert, key, EVP_sha256());
  return cert;
}

FILE* Open(const std::string& path) {
  FILE* file = fopen(path.c_str(), "w");
  if (file == nullptr) abort();
  return file;
}

}  // namespace

TestCertificate::TestCertificate(const std::string& folder, const std::string& name)
    : cert_(absl::StrCat(folder, name, "_", getpid(), "_cert.pem")),
      key_(absl::StrCat(folder, name, "_", getpid(), "_key.pem")) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* cert = SelfSigned(key);
  FILE* out = Open(cert_);
  PEM_write_X509(out, cert);
  fclose(out);
  out = Open(key_);
  PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  fclose(out);
  X509_free(cert);
  EVP_PKEY_free(key);
}

TestCertificate::~TestCertificate() {
  unlink(cert_.c_str());
  unlink(key_.c_str());
}

}  // namespace tidemark::testing
