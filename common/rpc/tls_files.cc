#include "common/rpc/tls_files.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/clock/clock.h"

namespace tidemark {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

struct Flag {
  const char* name;
  const std::string& file;
};

absl::Status Bad(const Flag& flag, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(flag.name, " ", flag.file, ": ", what));
}

absl::StatusOr<Owned<BIO>> Open(const Flag& flag) {
  if (flag.file.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        flag.name, " is missing: mutual TLS needs --tls-cert, --tls-key and --tls-ca (or give --plaintext)"));
  }
  errno = 0;
  Owned<BIO> bio(BIO_new_file(flag.file.c_str(), "r"));
  if (bio == nullptr) return Bad(flag, absl::StrCat("cannot be read: ", strerror(errno)));
  return bio;
}

absl::StatusOr<Owned<X509>> ReadCertificate(const Flag& flag) {
  absl::StatusOr<Owned<BIO>> bio = Open(flag);
  if (!bio.ok()) return bio.status();
  Owned<X509> certificate(PEM_read_bio_X509(bio->get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return Bad(flag, "holds no PEM certificate (-----BEGIN CERTIFICATE-----)");
  return certificate;
}

// An encrypted key must not make OpenSSL ask the terminal for a password.
int NoPassword(char*, int, int, void*) { return 0; }

absl::StatusOr<Owned<EVP_PKEY>> ReadKey(const Flag& flag) {
  absl::StatusOr<Owned<BIO>> bio = Open(flag);
  if (!bio.ok()) return bio.status();
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio->get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) return Bad(flag, "holds no PEM private key that is not encrypted (-----BEGIN PRIVATE KEY-----)");
  return key;
}

int64_t Seconds(const ASN1_TIME* time) {
  std::tm calendar{};
  ASN1_TIME_to_tm(time, &calendar);
  return timegm(&calendar);
}

std::string Text(const ASN1_TIME* time) {
  Owned<BIO> bio(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(bio.get(), time);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

absl::Status CheckValidity(const Flag& flag, const X509* certificate, int64_t wall_ns) {
  const ASN1_TIME* from = X509_get0_notBefore(certificate);
  const ASN1_TIME* until = X509_get0_notAfter(certificate);
  if (wall_ns / kNanosPerSecond > Seconds(until)) return Bad(flag, absl::StrCat("the certificate expired on ", Text(until)));
  if (wall_ns / kNanosPerSecond < Seconds(from)) {
    return Bad(flag, absl::StrCat("the certificate is valid from ", Text(from), " on only; is this host's clock right?"));
  }
  return absl::OkStatus();
}

std::vector<std::string> UrisOf(const X509* certificate) {
  std::vector<std::string> uris;
  const Owned<GENERAL_NAMES> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* uri = name->d.uniformResourceIdentifier;
    uris.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(uri)), ASN1_STRING_length(uri));
  }
  return uris;
}

absl::Status CheckRole(const Flag& flag, const X509* certificate, Role own) {
  const absl::StatusOr<PeerIdentity> identity = IdentityOf(UrisOf(certificate));
  if (!identity.ok()) return Bad(flag, identity.status().message());
  if (identity->role == own) return absl::OkStatus();
  return Bad(flag, absl::StrCat("the certificate's role is ", RoleName(identity->role), ", but this is for the role ",
                                RoleName(own), ": its URI name must be ", WantedUri(own)));
}

}  // namespace

absl::Status CheckTlsFiles(const TlsFiles& files, Role own, int64_t wall_ns) {
  const Flag cert{"--tls-cert", files.cert}, key{"--tls-key", files.key}, ca{"--tls-ca", files.ca};
  const absl::StatusOr<Owned<X509>> certificate = ReadCertificate(cert);
  if (!certificate.ok()) return certificate.status();
  const absl::StatusOr<Owned<EVP_PKEY>> private_key = ReadKey(key);
  if (!private_key.ok()) return private_key.status();
  if (const absl::StatusOr<Owned<X509>> authority = ReadCertificate(ca); !authority.ok()) return authority.status();
  if (X509_check_private_key(certificate->get(), private_key->get()) != 1) {
    return Bad(key, absl::StrCat("is not the key of the certificate --tls-cert ", files.cert));
  }
  if (absl::Status status = CheckValidity(cert, certificate->get(), wall_ns); !status.ok()) return status;
  return CheckRole(cert, certificate->get(), own);
}

}  // namespace tidemark
