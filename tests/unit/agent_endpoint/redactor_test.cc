#include "agent/endpoint/redactor.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

EndpointSpec WithHeader(const std::string& name, const std::string& value) {
  EndpointSpec endpoint;
  endpoint.headers.emplace_back(name, value);
  return endpoint;
}

TEST(Redactor, ReplacesEachOccurrenceOfTheKey) {
  const Redactor redactor(EndpointSpec(), "sk-12345");
  EXPECT_EQ(redactor.Apply("bad sk-12345, yes sk-12345!"), "bad <redacted>, yes <redacted>!");
}

TEST(Redactor, ReplacesTheValuesOfSecretHeaders) {
  const Redactor redactor(WithHeader("X-Api-Key", "abcdef"), "");
  EXPECT_EQ(redactor.Apply("key abcdef"), "key <redacted>");
}

TEST(Redactor, ReplacesTheTokenOfAnAuthorizationHeaderAlone) {
  const Redactor redactor(WithHeader("authorization", "Bearer tok-1"), "");
  EXPECT_EQ(redactor.Apply("tok-1 of Bearer tok-1"), "<redacted> of <redacted>");
}

TEST(Redactor, LeavesOtherHeadersAlone) {
  EXPECT_EQ(Redactor(WithHeader("X-Team", "blue-team"), "").Apply("blue-team"), "blue-team");
}

TEST(Redactor, TakesWhatIsShorterThanFourBytesForNoSecret) {
  EXPECT_EQ(Redactor(EndpointSpec(), "abc").Apply("abc"), "abc");
}

TEST(Redactor, SeesASecretAcrossTheLimit) {
  EXPECT_EQ(Redactor(EndpointSpec(), "secret-value").Apply("0123 secret-value", 8), "0123 <re");
}

TEST(Redactor, SeesASecretThatTheEndCutOff) {
  EXPECT_EQ(Redactor(EndpointSpec(), "secret-value").Apply("key secret-v"), "key <redacted>");
}

TEST(Redactor, WithoutSecretsOnlyCuts) { EXPECT_EQ(Redactor().Apply("text", 3), "tex"); }

}  // namespace
}  // namespace tidemark
