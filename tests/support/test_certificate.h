#ifndef TIDEMARK_TESTS_SUPPORT_TEST_CERTIFICATE_H_
#define TIDEMARK_TESTS_SUPPORT_TEST_CERTIFICATE_H_

#include <string>

namespace tidemark::testing {

// A self-signed certificate for 127.0.0.1 and localhost with its key, made on the spot, in two PEM
// files that are removed with it.
class TestCertificate {
 public:
  // `folder` ends in a slash; `name` is the files' and must be the test's own.
  TestCertificate(const std::string& folder, const std::string& name);
  ~TestCertificate();
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  const std::string& cert() const { return cert_; }
  const std::string& key() const { return key_; }

 private:
  std::string cert_, key_;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_TEST_CERTIFICATE_H_
