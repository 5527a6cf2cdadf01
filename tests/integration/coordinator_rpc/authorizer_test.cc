#include "coordinator/rpc/authorizer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/process.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTokens[] = "ci ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n";  // of "abc"

class AuthorizerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Authorizer> With(bool tls, bool tokens) {
    AuthorizerOptions options;
    options.tls = tls;
    if (tokens) options.tokens_file = folder_.Write("tokens", kTokens);
    absl::StatusOr<std::unique_ptr<Authorizer>> made = Authorizer::Create(options);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return *std::move(made);
  }

  static Credentials Certificate(const std::string& path, std::vector<std::string> authorization = {}) {
    return {true, {"spiffe://d/tidemark/" + path}, std::move(authorization)};
  }

  testing::TemporaryFolder folder_;
};

TEST_F(AuthorizerTest, KnowsAnAgentByItsCertificate) {
  const auto caller = With(true, true)->Authorize(Certificate("agent/a1"), Role::kAgent);
  ASSERT_TRUE(caller.ok()) << caller.status().ToString();
  EXPECT_EQ(caller->agent_id, "a1");
}

TEST_F(AuthorizerTest, LetsACertificateWithoutAnIdBeAnyAgent) {
  EXPECT_EQ(With(true, false)->Authorize(Certificate("agent"), Role::kAgent)->agent_id, "");
}

TEST_F(AuthorizerTest, RefusesOtherRolesWithTheOneThatIsWanted) {
  const auto authorizer = With(true, false);
  const struct {
    const char* has;
    Role wanted;
    const char* said;
  } kCases[] = {{"client", Role::kAgent, "tidemark/agent[/<agent id>]"},
                {"coordinator", Role::kAgent, "tidemark/agent[/<agent id>]"},
                {"agent/a", Role::kClient, "tidemark/client[/<name>]"},
                {"coordinator", Role::kClient, "tidemark/client[/<name>]"}};
  for (const auto& c : kCases) {
    const auto caller = authorizer->Authorize(Certificate(c.has), c.wanted);
    EXPECT_EQ(caller.status().code(), absl::StatusCode::kPermissionDenied) << c.has;
    EXPECT_THAT(caller.status().message(), HasSubstr(c.said));
  }
}

TEST_F(AuthorizerTest, WantsACertificate) {
  const auto caller = With(true, false)->Authorize(Credentials{}, Role::kAgent);
  EXPECT_EQ(caller.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(caller.status().message(), HasSubstr("a certificate is wanted"));
}

TEST_F(AuthorizerTest, DoesNotBelieveNamesThatNoCaHasSigned) {
  Credentials credentials = Certificate("agent");
  credentials.authenticated = false;
  EXPECT_EQ(With(true, false)->Authorize(credentials, Role::kAgent).status().code(),
            absl::StatusCode::kUnauthenticated);
}

TEST_F(AuthorizerTest, KnowsAClientByItsToken) {
  for (const char* certificate : {"client", "client/ci"}) {
    const auto caller = With(true, true)->Authorize(Certificate(certificate, {"Bearer abc"}), Role::kClient);
    ASSERT_TRUE(caller.ok()) << caller.status().ToString();
    EXPECT_EQ(caller->name, "ci");
  }
}

TEST_F(AuthorizerTest, ATokenIsNoUseToAnotherClient) {
  const auto caller = With(true, true)->Authorize(Certificate("client/eve", {"Bearer abc"}), Role::kClient);
  EXPECT_EQ(caller.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(caller.status().message(),
              AllOf(HasSubstr("the certificate is that of client eve, and the bearer token that of ci"), Not(HasSubstr("abc"))));
}

TEST_F(AuthorizerTest, WantsATokenToo) {
  const auto caller = With(true, true)->Authorize(Certificate("client"), Role::kClient);
  EXPECT_EQ(caller.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(caller.status().message(), HasSubstr("--token-file or TIDEMARK_TOKEN"));
}

TEST_F(AuthorizerTest, RefusesAWrongTokenAndDoesNotRepeatIt) {
  const auto caller = With(true, true)->Authorize(Certificate("client", {"Bearer wr0ng"}), Role::kClient);
  EXPECT_EQ(caller.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(caller.status().message(), AllOf(HasSubstr("not in the coordinator's"), Not(HasSubstr("wr0ng"))));
}

TEST_F(AuthorizerTest, TakesOneBearerTokenOnly) {
  const auto authorizer = With(false, true);
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"Basic abc"}, {"abc"}, {"Bearer abc", "Bearer abc"}, {""}}) {
    EXPECT_EQ(authorizer->Authorize({false, {}, given}, Role::kClient).status().code(),
              absl::StatusCode::kUnauthenticated);
  }
  EXPECT_TRUE(authorizer->Authorize({false, {}, {"bearer abc"}}, Role::kClient).ok());
}

TEST_F(AuthorizerTest, ATokenMakesNoClientOfAnAgent) {
  EXPECT_EQ(With(true, true)->Authorize(Certificate("agent", {"Bearer abc"}), Role::kClient).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(AuthorizerTest, NamesAClientWithoutATokenByItsCertificate) {
  EXPECT_EQ(With(true, false)->Authorize(Certificate("client/eve"), Role::kClient)->name, "eve");
  EXPECT_EQ(With(true, false)->Authorize(Certificate("client"), Role::kClient)->name, "anonymous");
}

TEST_F(AuthorizerTest, WithPlaintextTakesEveryAgentAndTokensOfClients) {
  const auto authorizer = With(false, true);
  EXPECT_TRUE(authorizer->Authorize(Credentials{}, Role::kAgent).ok());
  EXPECT_FALSE(authorizer->Authorize(Credentials{}, Role::kClient).ok());
  EXPECT_EQ(authorizer->Authorize({false, {}, {"Bearer abc"}}, Role::kClient)->name, "ci");
}

}  // namespace
}  // namespace tidemark
