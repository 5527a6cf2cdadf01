#include "client/contexts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/process.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TemporaryFolder;

constexpr char kFile[] = R"(current: lab
contexts:
  lab:
    coordinator: 127.0.0.1:7070
    plaintext: true
  prod: {coordinator: "tidemark.example:7070", tls_cert: me.crt, tls_key: /keys/me.key, tls_ca: ~/ca.crt, token_file: token}
)";

std::string Refusal(const std::string& text) {
  const absl::Status status = ParseContexts(text, "contexts.yaml").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(Contexts, AreReadByName) {
  const absl::StatusOr<Contexts> contexts = ParseContexts(kFile, "contexts.yaml");
  ASSERT_TRUE(contexts.ok()) << contexts.status();
  EXPECT_EQ(contexts->current, "lab");
  EXPECT_TRUE(contexts->contexts.at("lab").connection.plaintext);
  EXPECT_EQ(contexts->contexts.at("prod").connection.coordinator, "tidemark.example:7070");
  EXPECT_EQ(contexts->contexts.at("prod").token_file, "token");
}

TEST(Contexts, PathsAreOfTheFilesFolder) {
  const TemporaryFolder folder;
  const absl::StatusOr<Contexts> contexts = LoadContexts(folder.Write("contexts.yaml", kFile), "/home/me");
  ASSERT_TRUE(contexts.ok()) << contexts.status();
  const Context& prod = contexts->contexts.at("prod");
  EXPECT_EQ(prod.connection.tls_cert, folder.File("me.crt"));
  EXPECT_EQ(prod.connection.tls_key, "/keys/me.key");
  EXPECT_EQ(prod.connection.tls_ca, "/home/me/ca.crt");
  EXPECT_EQ(prod.token_file, folder.File("token"));
}

TEST(Contexts, AnEmptyFileHasNone) { EXPECT_TRUE(ParseContexts("", "contexts.yaml").ok()); }

TEST(Contexts, AMissingFileIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(LoadContexts("/no/such/contexts.yaml", "").status()));
}

TEST(Contexts, AnUnknownKeyIsNamedWithItsPlace) {
  EXPECT_EQ(Refusal("contexts:\n  lab: {coordinator: a:1, plain: true}\n"),
            "contexts.yaml:2:27: unknown key \"plain\": the keys of a context are coordinator, plaintext, tls_cert, "
            "tls_key, "
            "tls_ca, token_file");
}

TEST(Contexts, ATokenIsKeptInAFileOfItsOwn) {
  const std::string refusal = Refusal("contexts:\n  lab: {coordinator: a:1, token: geheim}\n");
  EXPECT_THAT(refusal, HasSubstr("token_file"));
  EXPECT_THAT(refusal, ::testing::Not(HasSubstr("geheim")));
}

TEST(Contexts, EachNeedsACoordinator) {
  EXPECT_EQ(Refusal("contexts:\n  lab: {plaintext: true}\n"),
            "contexts.yaml:2:3: lab: coordinator is missing: want HOST:PORT");
}

TEST(Contexts, TheCurrentOneIsOneOfThem) {
  EXPECT_THAT(Refusal("current: x\ncontexts:\n  lab: {coordinator: a:1}\n"),
              StartsWith("contexts.yaml:1:10: current is \"x\""));
}

TEST(Contexts, AKeyStandsOnce) {
  EXPECT_THAT(Refusal("contexts:\n  a: {coordinator: a:1}\n  a: {coordinator: b:1}\n"),
              HasSubstr("contexts.yaml:3:3: key \"a\" twice"));
}

TEST(Contexts, ABrokenTextIsNamedWithItsPlace) {
  EXPECT_THAT(Refusal("contexts: [a\n"), StartsWith("contexts.yaml:"));
}

TEST(ContextsPath, RespectsTheXdgFolder) {
  EXPECT_EQ(ContextsPath("/cfg", "/home/me"), "/cfg/tidemark/contexts.yaml");
  EXPECT_EQ(ContextsPath("", "/home/me"), "/home/me/.config/tidemark/contexts.yaml");
  EXPECT_EQ(ContextsPath("relative", "/home/me"), "/home/me/.config/tidemark/contexts.yaml");
  EXPECT_EQ(ContextsPath("", ""), "");
}

}  // namespace
}  // namespace tidemark
