#include "agent/session/target_policy.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// What is said of a target; empty: it is allowed.
std::string Said(const std::vector<std::string>& allowed, const std::string& host, const std::string& ip,
                 uint16_t port = 80) {
  const absl::StatusOr<TargetPolicy> policy = TargetPolicy::Create(allowed);
  EXPECT_TRUE(policy.ok()) << policy.status();
  return std::string(policy->Check(host, ip, port).message());
}

TEST(TargetPolicy, WithoutAListAllowsAllThatIsNotLinkLocal) {
  EXPECT_EQ(Said({}, "vllm", "10.0.0.5"), "");
  EXPECT_EQ(Said({}, "127.0.0.1", "127.0.0.1"), "");
  EXPECT_THAT(Said({}, "169.254.169.254", "169.254.169.254"), HasSubstr("link-local"));
  EXPECT_THAT(Said({}, "::ffff:169.254.169.254", "::ffff:169.254.169.254"), HasSubstr("link-local"));
}

TEST(TargetPolicy, ANameThatLeadsToALinkLocalAddressIsRefusedWithBoth) {
  EXPECT_THAT(Said({}, "rebound.example", "169.254.169.254"),
              AllOf(HasSubstr("target rebound.example:80 (169.254.169.254) is refused"),
                    HasSubstr("--allow-target 169.254.169.254")));
}

TEST(TargetPolicy, AListedNameDoesNotAllowALinkLocalAddress) {
  EXPECT_THAT(Said({"rebound.example"}, "rebound.example", "169.254.169.254"), HasSubstr("link-local"));
}

TEST(TargetPolicy, AListedLinkLocalAddressIsAllowed) {
  EXPECT_EQ(Said({"169.254.20.0/24"}, "node-cache", "169.254.20.10"), "");
}

TEST(TargetPolicy, WithAListAllowsWhatIsOnIt) {
  const std::vector<std::string> list = {"*.inference.svc", "10.0.0.0/8"};
  EXPECT_EQ(Said(list, "vllm.inference.svc", "192.168.0.1"), "");
  EXPECT_EQ(Said(list, "other.example", "10.1.1.1"), "");
  EXPECT_EQ(Said(list, "10.1.1.1", "10.1.1.1"), "");
}

TEST(TargetPolicy, RefusesAllElseAndNamesHostListAndFlag) {
  EXPECT_THAT(Said({"vllm:8000", "10.0.0.0/8"}, "evil.example", "192.168.0.1", 443),
              AllOf(HasSubstr("target evil.example:443 (192.168.0.1) is refused"), HasSubstr("--allow-target"),
                    HasSubstr("vllm:8000, 10.0.0.0/8"), HasSubstr("add evil.example:443")));
}

TEST(TargetPolicy, ANetworkIsHeldAgainstTheAddressAndNotTheName) {
  EXPECT_NE(Said({"10.0.0.0/8"}, "10.example", "192.168.0.1"), "");
}

TEST(TargetPolicy, RefusesWhatIsNoAddress) { EXPECT_NE(Said({}, "vllm", ""), ""); }

TEST(TargetPolicy, NamesTheFlagOfABadPattern) {
  EXPECT_THAT(TargetPolicy::Create({"http://x"}).status().message(), HasSubstr("--allow-target \"http://x\""));
}

}  // namespace
}  // namespace tidemark
