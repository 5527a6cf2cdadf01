// HTTPS with a certificate made on the spot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>

#include "simulator/simulator.h"

namespace tidemark {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// Writes a self-signed certificate and its key below the test's own folder.
class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cert_ = ::testing::TempDir() + "sim_tls_" + std::to_string(::getpid()) + "_cert.pem";
    key_ = ::testing::TempDir() + "sim_tls_" + std::to_string(::getpid()) + "_key.pem";
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* cert = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    X509_NAME* name = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(cert, name);
    X509_sign(cert, key, EVP_sha256());
    Write(cert_, [cert](FILE* out) { PEM_write_X509(out, cert); });
    Write(key_, [key](FILE* out) {
      PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
    });
    X509_free(cert);
    EVP_PKEY_free(key);
  }

  void TearDown() override {
    std::remove(cert_.c_str());
    std::remove(key_.c_str());
  }

  static void Write(const std::string& path, const std::function<void(FILE*)>& write) {
    FILE* out = std::fopen(path.c_str(), "w");
    ASSERT_NE(out, nullptr);
    write(out);
    std::fclose(out);
  }

  SimulatorOptions Options() const {
    SimulatorOptions options;
    options.tls_cert = cert_;
    options.tls_key = key_;
    return options;
  }

  std::string cert_, key_;
};

int Connect(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  timeval limit = {5, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

// A client's connection. Each read takes one TLS record, and 5 s at most.
class TlsClient {
 public:
  explicit TlsClient(int port)
      : fd_(Connect(port)),
        context_(SSL_CTX_new(TLS_client_method())),
        session_(SSL_new(context_)) {
    SSL_set_fd(session_, fd_);
    open_ = SSL_connect(session_) == 1;
  }
  ~TlsClient() {
    SSL_free(session_);
    SSL_CTX_free(context_);
    ::close(fd_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  void Send(const std::string& request) {
    if (open_) SSL_write(session_, request.data(), static_cast<int>(request.size()));
  }

  // Empty at the end, and when nothing came in time.
  std::string ReadRecord() {
    char buffer[16384];
    const int n = open_ ? SSL_read(session_, buffer, sizeof(buffer)) : 0;
    return std::string(buffer, static_cast<size_t>(std::max(0, n)));
  }

  // The record that brings `mark`, or the empty one if none does.
  std::string ReadRecordWith(const std::string& mark) {
    std::string record;
    do {
      record = ReadRecord();
    } while (!record.empty() && record.find(mark) == std::string::npos);
    return record;
  }

 private:
  const int fd_;
  SSL_CTX* const context_;
  SSL* const session_;
  bool open_ = false;
};

// A request for a stream. `headers`: lines with their CRLF.
std::string StreamRequest(int tokens, const std::string& headers = "") {
  const std::string body =
      R"({"model":"tidemark-sim","prompt":"a","ignore_eos":true,"stream":true,"max_tokens":)" +
      std::to_string(tokens) + "}";
  return "POST /v1/completions HTTP/1.1\r\nHost: a\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST_F(TlsTest, StreamsOverHttps) {
  Simulator simulator;
  const absl::StatusOr<int> port = simulator.Start(Options());
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_THAT(simulator.url(), HasSubstr("https://"));
  TlsClient client(*port);
  client.Send(StreamRequest(3, "Connection: close\r\n"));
  std::string answer;
  for (std::string record; !(record = client.ReadRecord()).empty();) answer += record;
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_THAT(answer, HasSubstr("data: [DONE]\n\n"));
  EXPECT_THAT(answer, HasSubstr("0\r\n\r\n"));
}

// Tokens this close together are often due in one turn of the loop, between the write of the one
// before and the callback that reports it.
TEST_F(TlsTest, EveryStreamOfCrowdedTokensComesToItsEndInTheRecordOfDone) {
  SimulatorOptions options = Options();
  options.law.step_ms = 0.1;
  Simulator simulator;
  const absl::StatusOr<int> port = simulator.Start(std::move(options));
  ASSERT_TRUE(port.ok()) << port.status();
  TlsClient client(*port);
  for (int i = 0; i < 400; ++i) {
    client.Send(StreamRequest(8));
    ASSERT_THAT(client.ReadRecordWith("data: [DONE]\n\n"), EndsWith("[DONE]\n\n\r\n0\r\n\r\n"))
        << "stream " << i;
  }
}

TEST_F(TlsTest, UnreadableCertificateIsRefusedByName) {
  SimulatorOptions options = Options();
  options.tls_cert = "/no/such.pem";
  const absl::Status status = Simulator().Start(std::move(options)).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("tls-cert '/no/such.pem'"));
}

TEST_F(TlsTest, KeyOfAnotherKindOfFileIsRefusedByName) {
  SimulatorOptions options = Options();
  options.tls_key = cert_;
  EXPECT_THAT(std::string(Simulator().Start(std::move(options)).status().message()),
              HasSubstr("tls-key '" + cert_));
}

}  // namespace
}  // namespace tidemark
