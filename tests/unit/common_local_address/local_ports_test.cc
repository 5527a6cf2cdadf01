#include "common/local_address/local_ports.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(LocalPorts, CountsBothEndsOfTheRange) { EXPECT_EQ(ParsePortRange("32768\t60999\n"), 28'232u); }

TEST(LocalPorts, SaysNothingOfWhatIsNoRange) {
  for (const char* text : {"", "32768", "60999 32768", "1 70000", "a b", "1 2 3"}) EXPECT_EQ(ParsePortRange(text), 0u) << text;
}

TEST(LocalPorts, ATenthIsKeptBack) {
  EXPECT_EQ(PlannablePorts(28'232), 25'409u);
  EXPECT_EQ(PlannablePorts(0), 0u);
}

}  // namespace
}  // namespace tidemark
