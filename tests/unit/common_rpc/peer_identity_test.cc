#include "common/rpc/peer_identity.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

std::string Read(const std::string& uri) {
  const std::optional<PeerIdentity> identity = ParseIdentityUri(uri);
  return identity ? std::string(RoleName(identity->role)) + ":" + identity->name : "none";
}

TEST(PeerIdentity, ReadsEachRole) {
  EXPECT_EQ(Read("spiffe://example.org/tidemark/agent"), "agent:");
  EXPECT_EQ(Read("spiffe://example.org/tidemark/agent/pod-3"), "agent:pod-3");
  EXPECT_EQ(Read("spiffe://example.org/tidemark/client"), "client:");
  EXPECT_EQ(Read("spiffe://example.org/tidemark/client/ci.nightly"), "client:ci.nightly");
  EXPECT_EQ(Read("spiffe://example.org/tidemark/coordinator"), "coordinator:");
}

TEST(PeerIdentity, IsNobodyByAnyOtherUri) {
  for (const char* uri :
       {"", "spiffe://", "spiffe://example.org", "spiffe://example.org/tidemark", "spiffe://example.org/tidemark/",
        "spiffe://example.org/tidemark/agents", "spiffe://example.org/tidemark/Agent",
        "spiffe://example.org/tidemark/agent/", "spiffe://example.org/tidemark/agent/a/b",
        "spiffe://example.org/tidemark/coordinator/x", "spiffe:///tidemark/agent", "spiffe://example.org//agent",
        "spiffe://example.org/other/agent", "https://example.org/tidemark/agent", "SPIFFE://example.org/tidemark/agent",
        "spiffe://example.org/tidemark/agent/a b", "spiffe://example.org/tidemark/agent/..",
        "spiffe://example.org/tidemark/agent/%61", "spiffe://example.org/tidemark/agent?x",
        "x spiffe://example.org/tidemark/agent"}) {
    EXPECT_EQ(Read(uri), "none") << uri;
  }
}

TEST(PeerIdentity, ReadsNoFurtherThanAZeroByte) {
  EXPECT_EQ(Read(std::string("spiffe://example.org/tidemark/agent/a\0b", 39)), "none");
}

TEST(PeerIdentity, PassesOverTheNamesOfOthers) {
  const auto identity = IdentityOf({"https://example.org", "spiffe://d/ns/x/sa/y", "spiffe://d/tidemark/agent/a"});
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity->name, "a");
}

TEST(PeerIdentity, SaysWhichNameIsWanted) {
  const auto identity = IdentityOf({"https://example.org"});
  EXPECT_EQ(identity.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(identity.status().message(), HasSubstr("spiffe://<trust domain>/tidemark/agent[/<agent id>]"));
}

TEST(PeerIdentity, RefusesTwoRolesInOne) {
  const auto identity = IdentityOf({"spiffe://d/tidemark/agent", "spiffe://d/tidemark/client"});
  EXPECT_EQ(identity.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(identity.status().message(), HasSubstr("more than one"));
}

}  // namespace
}  // namespace tidemark
