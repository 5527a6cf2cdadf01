#include "client/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/support/process.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    flags_.contexts_path =
        folder_.Write("contexts.yaml",
                      "current: lab\n"
                      "contexts:\n"
                      "  lab: {coordinator: 'lab:7070', plaintext: true}\n"
                      "  prod: {coordinator: 'prod:7070', tls_cert: c, tls_key: k, tls_ca: a, token_file: t}\n");
    WriteToken("t", 0600);
  }

  void WriteToken(const std::string& name, mode_t mode) const {
    ASSERT_EQ(chmod(folder_.Write(name, "  geheim\n").c_str(), mode), 0);
  }

  ChosenConnection Choose(bool use_current = true) const {
    const absl::StatusOr<ChosenConnection> chosen = ChooseConnection(flags_, use_current);
    EXPECT_TRUE(chosen.ok()) << chosen.status();
    return chosen.value_or(ChosenConnection());
  }

  std::string Refusal(bool use_current = true) const {
    const absl::Status status = ChooseConnection(flags_, use_current).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }

  const TemporaryFolder folder_;
  ConnectionFlags flags_;
};

TEST_F(ConnectionTest, WithoutFlagsTheCurrentContextIsMeant) {
  EXPECT_EQ(Choose().connection.coordinator, "lab:7070");
  EXPECT_EQ(Choose().context, "lab");
}

TEST_F(ConnectionTest, TheCurrentContextIsNotMeantWhereItIsNotWanted) {
  EXPECT_THAT(Refusal(false), AllOf(HasSubstr("--coordinator HOST:PORT"), HasSubstr("--context NAME")));
}

TEST_F(ConnectionTest, AContextBringsItsFilesAndItsToken) {
  flags_.context = "prod";
  const ChosenConnection chosen = Choose();
  EXPECT_EQ(chosen.connection.coordinator, "prod:7070");
  EXPECT_EQ(chosen.connection.tls_ca, folder_.File("a"));
  EXPECT_EQ(chosen.connection.token, "geheim");
  EXPECT_EQ(chosen.warning, "");
}

TEST_F(ConnectionTest, FlagsWinOverTheContext) {
  flags_.context = "prod";
  flags_.coordinator = "localhost:7171";
  flags_.tls_ca = "/other/ca";
  const ChosenConnection chosen = Choose();
  EXPECT_EQ(chosen.connection.coordinator, "localhost:7171");
  EXPECT_EQ(chosen.connection.tls_ca, "/other/ca");
  EXPECT_EQ(chosen.connection.tls_cert, folder_.File("c"));
}

TEST_F(ConnectionTest, PlaintextAsAFlagLeavesTheContextsCertificatesOut) {
  flags_.context = "prod";
  flags_.plaintext = true;
  EXPECT_TRUE(Choose().connection.plaintext);
  EXPECT_EQ(Choose().connection.tls_cert, "");
}

TEST_F(ConnectionTest, ACoordinatorAloneUsesNoContext) {
  flags_.coordinator = "other:7070";
  EXPECT_THAT(Refusal(), HasSubstr("--plaintext"));
  flags_.plaintext = true;
  EXPECT_EQ(Choose().context, "");
}

TEST_F(ConnectionTest, AnUnknownContextIsNamedWithThoseThereAre) {
  flags_.context = "live";
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("--context is live"), HasSubstr("has lab, prod")));
}

TEST_F(ConnectionTest, WithoutAFileItIsSaidWhatToGive) {
  flags_.contexts_path = folder_.File("none.yaml");
  EXPECT_THAT(Refusal(), HasSubstr("which coordinator? Give --coordinator HOST:PORT"));
  flags_.context = "lab";
  EXPECT_THAT(Refusal(), HasSubstr("there is no file"));
}

TEST_F(ConnectionTest, TheTokenOfTheEnvironmentWinsOverTheContextsFile) {
  flags_.context = "prod";
  flags_.token = "other";
  EXPECT_EQ(Choose().connection.token, "other");
  flags_.token_file = folder_.File("t");
  EXPECT_EQ(Choose().connection.token, "geheim");
}

TEST_F(ConnectionTest, ATokenThatEveryoneCanReadIsWarnedOf) {
  WriteToken("t", 0644);
  flags_.context = "prod";
  EXPECT_THAT(Choose().warning, AllOf(HasSubstr("chmod 600"), HasSubstr("0644")));
}

TEST_F(ConnectionTest, AMissingOrEmptyTokenFileIsNamed) {
  flags_.coordinator = "a:1";
  flags_.plaintext = true;
  flags_.token_file = folder_.File("gone");
  EXPECT_THAT(Refusal(), HasSubstr("No such file"));
  flags_.token_file = folder_.Write("empty", "\n");
  EXPECT_THAT(Refusal(), HasSubstr("it is empty"));
  flags_.token_file = folder_.Write("large", std::string(5'000, 'a'));
  EXPECT_THAT(Refusal(), HasSubstr("more than 4096 bytes"));
}

}  // namespace
}  // namespace tidemark
