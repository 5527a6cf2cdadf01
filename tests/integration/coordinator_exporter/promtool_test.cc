// What Prometheus's own linter says of the pages.
#include <gtest/gtest.h>
#include <unistd.h>

#include "agent/exporter/agent_metrics.h"
#include "tests/support/coordinator_page.h"
#include "tests/support/process.h"

namespace tidemark {
namespace {

constexpr char kPromtool[] = "/usr/bin/promtool";

testing::ProcessEnd Check(const std::string& page) {
  testing::ProcessOptions options;
  options.arguments = {kPromtool, "check", "metrics"};
  options.input = page;
  return testing::RunToEnd(options, 20'000);
}

class Promtool : public ::testing::Test {
 protected:
  void SetUp() override {
    if (access(kPromtool, X_OK) != 0) GTEST_SKIP() << "no " << kPromtool << ": install the package prometheus";
  }
};

TEST_F(Promtool, HasNothingToSayOfTheCoordinatorsPage) {
  CoordinatorMetrics metrics("1.0.0");
  testing::FillCoordinatorMetrics(metrics);
  const testing::ProcessEnd end = Check(metrics.Text());
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.out + end.err, "");
}

TEST_F(Promtool, HasNothingToSayOfAnIdleCoordinatorsPage) {
  const testing::ProcessEnd end = Check(CoordinatorMetrics("1.0.0").Text());
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.out + end.err, "");
}

TEST_F(Promtool, HasNothingToSayOfTheAgentsPage) {
  AgentMetricsOptions options;
  options.agent_id = "agent-0";
  options.version = "1.0.0";
  const testing::ProcessEnd end = Check(AgentMetrics(options, &RealClock()).Text());
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.out + end.err, "");
}

TEST_F(Promtool, WouldSayIt) {
  EXPECT_NE(Check("# TYPE requests counter\nrequests 1\n").code, 0) << "no help, no _total";
  EXPECT_NE(Check("no page at all {\n").code, 0);
}

}  // namespace
}  // namespace tidemark
