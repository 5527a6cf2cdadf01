#include "agent/session/secret_source.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SecretSourceTest : public ::testing::Test {
 protected:
  SecretReader Reader() {
    const auto get = [](const std::map<std::string, std::string>& in, const std::string& key) {
      const auto found = in.find(key);
      return found == in.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
    return {[this, get](const std::string& path) { return get(files_, path); },
            [this, get](const std::string& name) { return get(env_, name); }};
  }

  SecretSource Source(std::vector<std::string> env = {}) {
    absl::StatusOr<SecretSource> source = SecretSource::Create({"/secrets", std::move(env)}, Reader());
    EXPECT_TRUE(source.ok()) << source.status();
    return *std::move(source);
  }

  // The value, or what is said in its place.
  static std::string Ask(const SecretSource& source, const std::string& name, const std::string& host = "api.example",
                         uint16_t port = 443, bool unprotected = false) {
    const absl::StatusOr<std::string> value = source.Resolve(name, host, port, unprotected);
    if (value.ok()) return *value;
    EXPECT_EQ(value.status().code(), absl::StatusCode::kPermissionDenied);
    return std::string(value.status().message());
  }

  std::map<std::string, std::string> files_, env_;
};

TEST_F(SecretSourceTest, GivesAFilesValueToItsHosts) {
  files_ = {{"/secrets/KEY", "s3cret\n"}, {"/secrets/KEY.hosts", "# where it goes\napi.example\n\n*.corp:8443\r\n"}};
  EXPECT_EQ(Ask(Source(), "KEY"), "s3cret");
  EXPECT_EQ(Ask(Source(), "KEY", "a.corp", 8443), "s3cret");
}

TEST_F(SecretSourceTest, RefusesAnotherHostAndNeverShowsTheValue) {
  files_ = {{"/secrets/KEY", "s3cret"}, {"/secrets/KEY.hosts", "api.example"}};
  EXPECT_THAT(Ask(Source(), "KEY", "evil.example"),
              AllOf(HasSubstr("api_key_env \"KEY\""), HasSubstr("to api.example only, not to evil.example:443"),
                    HasSubstr("/secrets/KEY.hosts"), Not(HasSubstr("s3cret"))));
}

TEST_F(SecretSourceTest, RefusesAFileThatIsBoundToNoHost) {
  files_ = {{"/secrets/KEY", "s3cret"}};
  EXPECT_THAT(Ask(Source(), "KEY"), AllOf(HasSubstr("/secrets/KEY.hosts is missing"), Not(HasSubstr("s3cret"))));
  files_["/secrets/KEY.hosts"] = "# none yet\n";
  EXPECT_THAT(Ask(Source(), "KEY"), HasSubstr("/secrets/KEY.hosts is empty"));
}

TEST_F(SecretSourceTest, NamesABadLineOfHosts) {
  files_ = {{"/secrets/KEY", "s3cret"}, {"/secrets/KEY.hosts", "ftp://api.example"}};
  EXPECT_THAT(Ask(Source(), "KEY"), AllOf(HasSubstr("/secrets/KEY.hosts"), HasSubstr("ftp://api.example")));
}

TEST_F(SecretSourceTest, GivesAVariablesValueToItsHosts) {
  env_ = {{"KEY", "s3cret"}};
  EXPECT_EQ(Ask(Source({"KEY@api.example,10.0.0.0/8"}), "KEY"), "s3cret");
  EXPECT_EQ(Ask(Source({"KEY@api.example,10.0.0.0/8"}), "KEY", "10.1.1.1"), "s3cret");
  EXPECT_EQ(Ask(Source({"KEY@a.example", "KEY@api.example"}), "KEY"), "s3cret");
  EXPECT_THAT(Ask(Source({"KEY@api.example"}), "KEY", "evil.example"), HasSubstr("--secret-env"));
}

TEST_F(SecretSourceTest, NothingGoesUnprotectedUnlessItsBindingSaysSo) {
  env_ = {{"KEY", "s3cret"}};
  for (const char* bound : {"KEY@api.example", "KEY@https://api.example", "KEY@api.example,http://other.example"}) {
    EXPECT_THAT(Ask(Source({bound}), "KEY", "api.example", 80, true),
                AllOf(HasSubstr("only over https with the certificate verified"), HasSubstr("write http://api.example in its place"),
                      HasSubstr("--secret-env"), Not(HasSubstr("s3cret"))))
        << bound;
    EXPECT_EQ(Ask(Source({bound}), "KEY"), "s3cret") << bound;
  }
  for (const char* bound : {"KEY@http://api.example", "KEY@api.example,http://*.example", "KEY@http://api.example:80"}) {
    EXPECT_EQ(Ask(Source({bound}), "KEY", "api.example", 80, true), "s3cret") << bound;
  }
}

TEST_F(SecretSourceTest, AFilesHostsMayAllowItToo) {
  files_ = {{"/secrets/KEY", "s3cret"}, {"/secrets/KEY.hosts", "vllm.models.svc\n"}};
  EXPECT_THAT(Ask(Source(), "KEY", "vllm.models.svc", 8000, true), HasSubstr("/secrets/KEY.hosts"));
  files_["/secrets/KEY.hosts"] = "http://vllm.models.svc:8000\n";
  EXPECT_EQ(Ask(Source(), "KEY", "vllm.models.svc", 8000, true), "s3cret");
}

TEST_F(SecretSourceTest, ALoopbackHostIsOnNobodysWay) {
  env_ = {{"KEY", "s3cret"}};
  for (const char* host : {"127.0.0.1", "::1", "localhost"}) {
    EXPECT_EQ(Ask(Source({"KEY@127.0.0.1,[::1],localhost"}), "KEY", host, 8000, true), "s3cret") << host;
  }
}

TEST_F(SecretSourceTest, GivesNoVariableThatIsNotListed) {
  env_ = {{"AWS_SECRET_ACCESS_KEY", "s3cret"}};
  EXPECT_THAT(Ask(Source({"KEY@api.example"}), "AWS_SECRET_ACCESS_KEY"), HasSubstr("not among the secrets"));
}

TEST_F(SecretSourceTest, SaysThatAListedVariableIsNotSet) {
  EXPECT_THAT(Ask(Source({"KEY@api.example"}), "KEY"), HasSubstr("is not set"));
}

TEST_F(SecretSourceTest, ReadsAnewEachTime) {
  files_ = {{"/secrets/KEY", "old"}, {"/secrets/KEY.hosts", "api.example"}};
  const SecretSource source = Source();
  EXPECT_EQ(Ask(source, "KEY"), "old");
  files_["/secrets/KEY"] = "new";
  EXPECT_EQ(Ask(source, "KEY"), "new");
}

TEST_F(SecretSourceTest, NoNameLeadsOutOfTheFolder) {
  files_ = {{"/secrets/../etc/shadow", "s3cret"}, {"/secrets/../etc/shadow.hosts", "api.example"}};
  for (const char* name : {"../etc/shadow", "/etc/shadow", "..", ".", ".hidden", "a/b", "", "KEY.hosts", "a b", "k\n", "1"}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
    EXPECT_THAT(Ask(Source(), name), HasSubstr("is no name of a secret"));
  }
  for (const char* name : {"KEY", "_k", "openai-key.v2"}) EXPECT_TRUE(IsSecretName(name)) << name;
}

TEST_F(SecretSourceTest, ABadFlagIsNotRepeatedForItMayBeTheSecret) {
  for (const char* given : {"sk-abc123", "KEY=sk-abc123", "KEY@", "@api.example", "sk abc123@x"}) {
    const auto source = SecretSource::Create({"", {given}}, Reader());
    EXPECT_THAT(source.status().message(), AllOf(HasSubstr("--secret-env"), HasSubstr("NAME@HOST"), Not(HasSubstr("abc123"))));
  }
  EXPECT_THAT(SecretSource::Create({"", {"KEY@ftp://x"}}, Reader()).status().message(), HasSubstr("--secret-env KEY@…"));
}

}  // namespace
}  // namespace tidemark
