#include "common/local_address/source_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/descriptors/owned_fd.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> Texts(const std::vector<std::string>& values) {
  const auto sources = ParseSourceAddresses(values);
  EXPECT_TRUE(sources.ok()) << sources.status();
  std::vector<std::string> texts;
  if (!sources.ok()) return texts;
  for (const SourceAddress& source : *sources) texts.push_back(source.text);
  return texts;
}

std::string Problem(const std::string& value) {
  const absl::Status status = ParseSourceAddresses({value}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

// The address that a socket is bound to after its turn.
std::string BoundTo(const std::vector<std::string>& values, size_t turn) {
  const OwnedFd fd(socket(AF_INET, SOCK_STREAM, 0));
  const auto sources = ParseSourceAddresses(values);
  if (!sources.ok() || !BindToSource(fd.get(), AF_INET, *sources, turn)) return "refused";
  sockaddr_in name{};
  socklen_t length = sizeof(name);
  getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &length);
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &name.sin_addr, text, sizeof(text));
  return text;
}

TEST(SourceAddress, ComeOneByOneOrWithCommas) {
  EXPECT_EQ(Texts({"127.0.0.2, 127.0.0.3", "127.0.0.4"}),
            (std::vector<std::string>{"127.0.0.2", "127.0.0.3", "127.0.0.4"}));
}

TEST(SourceAddress, MayBeNone) { EXPECT_TRUE(Texts({}).empty()); }

TEST(SourceAddress, IsNoName) {
  EXPECT_THAT(Problem("localhost"), StartsWith("source_address is localhost: want an IP address"));
}

TEST(SourceAddress, IsOfThisHost) {
  EXPECT_THAT(Problem("192.0.2.77"), StartsWith("source_address is 192.0.2.77: no interface of this host has it"));
}

TEST(SourceAddress, IsGivenOnce) { EXPECT_THAT(Problem("127.0.0.2,127.0.0.2"), HasSubstr("once")); }

TEST(SourceAddress, SocketsTakeThemInTurn) {
  EXPECT_EQ(BoundTo({"127.0.0.2,127.0.0.3"}, 0), "127.0.0.2");
  EXPECT_EQ(BoundTo({"127.0.0.2,127.0.0.3"}, 1), "127.0.0.3");
  EXPECT_EQ(BoundTo({"127.0.0.2,127.0.0.3"}, 2), "127.0.0.2");
}

TEST(SourceAddress, WithoutAnyTheSystemChooses) { EXPECT_EQ(BoundTo({}, 0), "0.0.0.0"); }

TEST(SourceAddress, OnesOfAnotherFamilyDoNotServe) {
  SourceAddress source;
  source.address.ss_family = AF_INET6;
  EXPECT_EQ(SourcesOfFamily({source}, AF_INET), 0u);
  const OwnedFd fd(socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_FALSE(BindToSource(fd.get(), AF_INET, {source}, 0));
}

}  // namespace
}  // namespace tidemark
