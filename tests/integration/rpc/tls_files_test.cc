#include "common/rpc/tls_files.h"

#include <memory>
#include <string>

#include "common/clock/clock.h"
#include "common/rpc/credentials.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/cluster_certificates.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kDay = 86'400 * kNanosPerSecond;

class TlsFilesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    certificates_ = std::make_unique<testing::ClusterCertificates>();
    certificates_->Add({"--agent", "old", "--days", "-1"});
  }
  static void TearDownTestSuite() { certificates_.reset(); }

  static std::string Check(const TlsFiles& files, Role own, int64_t from_now = 0) {
    return std::string(CheckTlsFiles(files, own, RealClock().WallNanos() + from_now).message());
  }
  static TlsFiles Agent() { return certificates_->Of("agent"); }

  static std::unique_ptr<testing::ClusterCertificates> certificates_;
};

std::unique_ptr<testing::ClusterCertificates> TlsFilesTest::certificates_;

TEST_F(TlsFilesTest, TakesEachRolesOwn) {
  EXPECT_EQ(Check(certificates_->Of("coordinator"), Role::kCoordinator), "");
  EXPECT_EQ(Check(Agent(), Role::kAgent), "");
  EXPECT_EQ(Check(certificates_->Of("client"), Role::kClient), "");
}

TEST_F(TlsFilesTest, NamesTheFlagThatIsMissing) {
  TlsFiles files = Agent();
  files.ca.clear();
  EXPECT_THAT(Check(files, Role::kAgent), AllOf(HasSubstr("--tls-ca is missing"), HasSubstr("--plaintext")));
}

TEST_F(TlsFilesTest, NamesTheFlagAndFileThatCannotBeRead) {
  TlsFiles files = Agent();
  files.key = "/nowhere/agent.key";
  EXPECT_THAT(Check(files, Role::kAgent), HasSubstr("--tls-key /nowhere/agent.key: cannot be read: No such file"));
}

TEST_F(TlsFilesTest, SaysThatAFileHoldsNoCertificate) {
  TlsFiles files = Agent();
  files.ca = files.key;
  EXPECT_THAT(Check(files, Role::kAgent), AllOf(HasSubstr("--tls-ca"), HasSubstr("no PEM certificate")));
}

TEST_F(TlsFilesTest, SaysThatAFileHoldsNoKey) {
  TlsFiles files = Agent();
  files.key = files.cert;
  EXPECT_THAT(Check(files, Role::kAgent), AllOf(HasSubstr("--tls-key"), HasSubstr("no PEM private key")));
}

TEST_F(TlsFilesTest, SaysThatTheKeyIsAnothers) {
  TlsFiles files = Agent();
  files.key = certificates_->Of("client").key;
  EXPECT_THAT(Check(files, Role::kAgent), AllOf(HasSubstr("is not the key of"), HasSubstr(files.cert)));
}

TEST_F(TlsFilesTest, SaysThatTheCertificateIsOfAnotherRole) {
  EXPECT_THAT(Check(certificates_->Of("client"), Role::kAgent),
              AllOf(HasSubstr("role is client"), HasSubstr("/tidemark/agent[/<agent id>]")));
}

TEST_F(TlsFilesTest, SaysWhenTheCertificateExpired) {
  EXPECT_THAT(Check(certificates_->Of("agent-old"), Role::kAgent), HasSubstr("the certificate expired on"));
  EXPECT_THAT(Check(Agent(), Role::kAgent, 31 * kDay), HasSubstr("the certificate expired on"));
}

TEST_F(TlsFilesTest, SaysThatTheCertificateIsNotYetValid) {
  EXPECT_THAT(Check(Agent(), Role::kAgent, -2 * kDay), HasSubstr("is this host's clock right?"));
}

TEST_F(TlsFilesTest, PlaintextAndFilesTogetherAreRefused) {
  EXPECT_TRUE(CheckSecurity({true, {}}, Role::kAgent, 0).ok());
  EXPECT_THAT(CheckSecurity({true, Agent()}, Role::kAgent, 0).message(), HasSubstr("both given"));
}

}  // namespace
}  // namespace tidemark
