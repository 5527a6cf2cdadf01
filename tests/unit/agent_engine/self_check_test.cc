#include "agent/engine/self_check.h"

namespace tidemark {
namespace {

TEST(ParseCpuStat, ReadsBothVersionsOfCgroups) {
  const CgroupThrottling v2 =
      ParseCpuStat("usage_usec 5\nnr_periods 10\nnr_throttled 3\nthrottled_usec 1500\n");
  EXPECT_EQ(v2.periods, 10u);
  EXPECT_EQ(v2.throttled_periods, 3u);
  EXPECT_EQ(v2.throttled_ns, 1'500'000u);
  EXPECT_EQ(ParseCpuStat("nr_periods 1\nnr_throttled 1\nthrottled_time 77\n").throttled_ns, 77u);
  EXPECT_EQ(ParseCpuStat("").throttled_ns, 0u);
}

TEST(ParseRunQueueWait, IsTheSecondNumber) {
  EXPECT_EQ(ParseRunQueueWait("123 456 7\n"), 456u);
  EXPECT_EQ(ParseRunQueueWait(""), 0u);
}

TEST(CpuStatPath, PrefersTheProcesssOwnGroup) {
  EXPECT_EQ(CpuStatPath("0::/a/b\n", [](const std::string&) { return true; }),
            "/sys/fs/cgroup/a/b/cpu.stat");
}

TEST(CpuStatPath, FallsBackToTheRootThatAContainerSees) {
  const auto only_root = [](const std::string& path) { return path == "/sys/fs/cgroup/cpu.stat"; };
  EXPECT_EQ(CpuStatPath("0::/host/path\n", only_root), "/sys/fs/cgroup/cpu.stat");
}

TEST(CpuStatPath, FindsTheCpuControllerOfVersionOne) {
  const auto v1 = [](const std::string& path) { return path == "/sys/fs/cgroup/cpu/x/cpu.stat"; };
  EXPECT_EQ(CpuStatPath("4:memory:/m\n1:cpu,cpuacct:/x\n0::/\n", v1),
            "/sys/fs/cgroup/cpu/x/cpu.stat");
  EXPECT_EQ(CpuStatPath("2:cpuset:/x\n", [](const std::string&) { return true; }), "");
}

}  // namespace
}  // namespace tidemark
