#include "common/rpc/listen_address.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Listen(const std::string& text) {
  const absl::StatusOr<NetAddress> address = ParseListenAddress("--listen", text);
  return address.ok() ? ToString(*address) : std::string(address.status().message());
}

TEST(ListenAddress, TakesNamesAndAddresses) {
  for (const char* text : {"127.0.0.1:7070", "coordinator-0.tidemark_svc:7070", "[::]:7070", "[fd00::1]:443"}) {
    EXPECT_EQ(Listen(text), text);
  }
}

TEST(ListenAddress, KeepsNoBracketsInTheHost) {
  EXPECT_EQ(ParseListenAddress("--listen", "[::1]:7070")->host, "::1");
}

TEST(ListenAddress, TakesEveryPort) {
  EXPECT_EQ(ParseListenAddress("--listen", "h:0")->port, 0);
  EXPECT_EQ(ParseListenAddress("--listen", "h:65535")->port, 65'535);
}

TEST(ListenAddress, RefusesAWrongPort) {
  for (const char* text : {"h:65536", "h:", "h:-1", "h:+1", "h:7070x", "h: 1", "h:99999999999"}) {
    EXPECT_THAT(Listen(text), AllOf(HasSubstr("--listen"), HasSubstr(text), HasSubstr("0 to 65535")));
  }
}

TEST(ListenAddress, AsksForAMissingPort) {
  for (const char* text : {"localhost", "", "[::1]"}) EXPECT_THAT(Listen(text), HasSubstr("the port is missing"));
}

TEST(ListenAddress, AsksForAMissingHost) { EXPECT_THAT(Listen(":7070"), HasSubstr("0.0.0.0:7070")); }

TEST(ListenAddress, AsksForBrackets) {
  EXPECT_THAT(Listen("::1:7070"), HasSubstr("brackets"));
  EXPECT_THAT(Listen("[::1:7070"), HasSubstr("[::1]:7070"));
  EXPECT_THAT(Listen("[1.2.3.4]:7070"), HasSubstr("[::1]:7070"));
  EXPECT_THAT(Listen("[]:7070"), HasSubstr("[::1]:7070"));
}

TEST(ListenAddress, RefusesWhatIsNoHost) {
  for (const char* text : {"http//h:80", "a b:80", "h/x:80", "\"h\":80"}) {
    EXPECT_THAT(Listen(text), HasSubstr("is no host name")) << text;
  }
}

TEST(DialAddress, RefusesPortZero) {
  EXPECT_THAT(ParseDialAddress("--coordinator", "h:0").status().message(),
              AllOf(HasSubstr("--coordinator"), HasSubstr("1 to 65535")));
  EXPECT_TRUE(ParseDialAddress("--coordinator", "h:1").ok());
}

}  // namespace
}  // namespace tidemark
