#include "agent/http/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/support/scripted_server.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;

// No resolver knows the name: it is this host by RFC 6761, also where /etc/hosts is missing.
TEST(Resolve, LocalhostNamesNeedNoResolver) {
  const ScriptedServer server([](int, int, const std::string&) { return std::vector<ServerStep>{}; });
  const auto target = ResolveTarget(absl::StrCat("http://no-such-entry.localhost:", server.port(), "/"));
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_THAT(target->addresses, ElementsAre(absl::StrCat("127.0.0.1:", server.port())));
}

}  // namespace
}  // namespace tidemark
