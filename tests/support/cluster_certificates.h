#ifndef TIDEMARK_TESTS_SUPPORT_CLUSTER_CERTIFICATES_H_
#define TIDEMARK_TESTS_SUPPORT_CLUSTER_CERTIFICATES_H_

#include <string>
#include <vector>

#include "common/rpc/tls_files.h"
#include "tests/support/process.h"

namespace tidemark::testing {

// A test CA of its own and what it has signed, made by deploy/tls/make-test-certs.sh in a folder that is
// removed with it. It starts a process: make everything before the test has threads.
class ClusterCertificates {
 public:
  // Arguments of the script after the folder, such as {"--agent", "a1", "--days", "-1"}. None: a
  // coordinator for localhost, 127.0.0.1 and ::1, any agent, any client.
  explicit ClusterCertificates(const std::vector<std::string>& arguments = {});

  // Makes more with the same CA.
  void Add(const std::vector<std::string>& arguments);

  // "coordinator", "agent", "agent-a1", "client", "client-eve".
  TlsFiles Of(const std::string& name) const;
  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_CLUSTER_CERTIFICATES_H_
