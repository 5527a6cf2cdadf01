#include "tests/support/cluster_certificates.h"

#include <gtest/gtest.h>

namespace tidemark::testing {

ClusterCertificates::ClusterCertificates(const std::vector<std::string>& arguments) { Add(arguments); }

void ClusterCertificates::Add(const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.arguments = {TIDEMARK_SOURCE_DIR "/deploy/tls/make-test-certs.sh", folder()};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  const ProcessEnd end = RunToEnd(options, 30'000);
  EXPECT_EQ(end.code, 0) << end.err;
}

TlsFiles ClusterCertificates::Of(const std::string& name) const {
  return {folder_.File(name + ".crt"), folder_.File(name + ".key"), folder_.File("ca.crt")};
}

}  // namespace tidemark::testing
