#include "agent/session/host_pattern.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

HostPattern Pattern(const std::string& text) {
  const absl::StatusOr<HostPattern> pattern = HostPattern::Parse(text);
  EXPECT_TRUE(pattern.ok()) << pattern.status();
  return *pattern;
}

bool Name(const std::string& pattern, const std::string& host, uint16_t port = 80) {
  return Pattern(pattern).MatchesName(host, port);
}

bool Address(const std::string& pattern, const std::string& ip, uint16_t port = 80) {
  return Pattern(pattern).MatchesAddress(*ParseIpAddress(ip), port);
}

TEST(HostPattern, ANameIsThatNameInAnyCaseAndWithItsRootDot) {
  EXPECT_TRUE(Name("vllm.example", "VLLM.Example"));
  EXPECT_TRUE(Name("vllm.example", "vllm.example."));
  EXPECT_FALSE(Name("vllm.example", "a.vllm.example"));
  EXPECT_FALSE(Name("vllm.example", "vllm.example.evil"));
  EXPECT_FALSE(Name("vllm.example", "evilvllm.example"));
}

TEST(HostPattern, AStarIsEveryNameUnderIt) {
  EXPECT_TRUE(Name("*.example", "a.example"));
  EXPECT_TRUE(Name("*.example", "a.b.EXAMPLE."));
  EXPECT_FALSE(Name("*.example", "example"));
  EXPECT_FALSE(Name("*.example", "notexample"));
  EXPECT_FALSE(Name("*.example", "a.example.evil"));
  EXPECT_FALSE(Name("*.example", ".example"));
}

TEST(HostPattern, APortNarrowsIt) {
  EXPECT_TRUE(Name("vllm:8000", "vllm", 8000));
  EXPECT_FALSE(Name("vllm:8000", "vllm", 8001));
  EXPECT_FALSE(Name("*.example:443", "a.example", 80));
  EXPECT_TRUE(Address("[fd00::5]:80", "fd00::5", 80));
  EXPECT_FALSE(Address("10.0.0.5:80", "10.0.0.5", 81));
}

TEST(HostPattern, ANameIsNoAddress) { EXPECT_FALSE(Address("vllm.example", "10.0.0.5")); }

TEST(HostPattern, AnAddressIsThatAddressHoweverItIsWritten) {
  EXPECT_TRUE(Address("10.0.0.5", "10.0.0.5"));
  EXPECT_TRUE(Address("10.0.0.5", "::ffff:10.0.0.5"));
  EXPECT_TRUE(Address("10.0.0.5", "64:ff9b::a00:5"));
  EXPECT_FALSE(Address("10.0.0.5", "10.0.0.6"));
  EXPECT_TRUE(Address("[fd00::5]", "FD00:0::5"));
  EXPECT_TRUE(Name("10.0.0.5", "10.0.0.5"));
  EXPECT_TRUE(Name("[fd00::5]", "fd00::5"));
}

TEST(HostPattern, ANetworkIsItsAddresses) {
  EXPECT_TRUE(Address("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(Address("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(Address("10.1.2.128/25", "10.1.2.200"));
  EXPECT_FALSE(Address("10.1.2.128/25", "10.1.2.100"));
  EXPECT_TRUE(Address("fd00::/8", "fd12::1"));
  EXPECT_FALSE(Address("fd00::/8", "fe00::1"));
  EXPECT_FALSE(Address("0.0.0.0/0", "fd00::1"));
  EXPECT_TRUE(Name("10.0.0.0/8", "10.1.2.3"));
  EXPECT_FALSE(Name("10.0.0.0/8", "ten.example"));
}

TEST(HostPattern, RefusesWhatIsNone) {
  for (const char* text : {"", "*", "*.", ".example", "a*.example", "http://vllm", "vllm:0", "vllm:65536", "vllm:", "::1",
                           "fd00::5:80", "[10.0.0.5]", "[vllm]", "10.0.0.0/33", "fd00::/129", "10.0.0.0/", "10.0.0.0/x",
                           "vllm/8", "a b", "fe80::1%eth0/10", "[fe80::1%eth0]", "[fd00::5"}) {
    EXPECT_THAT(HostPattern::Parse(text).status().message(),
                AllOf(HasSubstr("\"" + std::string(text) + "\""), HasSubstr("*.example")))
        << text;
  }
}

TEST(LinkLocal, IsKnownInEveryForm) {
  for (const char* ip : {"169.254.169.254", "169.254.0.0", "fe80::1", "febf::1", "fe80::1%eth0", "::ffff:169.254.169.254",
                         "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "fd00:ec2::254"}) {
    EXPECT_TRUE(IsLinkLocal(*ParseIpAddress(ip))) << ip;
  }
  for (const char* ip : {"169.253.1.1", "169.255.0.1", "10.0.0.1", "127.0.0.1", "::1", "fec0::1", "fd00::1", "2001:db8::1"}) {
    EXPECT_FALSE(IsLinkLocal(*ParseIpAddress(ip))) << ip;
  }
}

}  // namespace
}  // namespace tidemark
