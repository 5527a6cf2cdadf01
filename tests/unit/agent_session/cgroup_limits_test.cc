#include "agent/session/cgroup_limits.h"

#include <gtest/gtest.h>

#include <map>

namespace tidemark {
namespace {

FileReader Files(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::string& path) -> std::optional<std::string> {
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return file->second;
  };
}

TEST(CgroupLimits, ReadsVersion2OfItsGroup) {
  const CgroupLimits limits =
      ReadCgroupLimits(Files({{"/proc/self/cgroup", "0::/pod/main\n"},
                              {"/sys/fs/cgroup/pod/main/cpu.max", "150000 100000\n"},
                              {"/sys/fs/cgroup/pod/main/memory.max", "1073741824\n"}}));
  EXPECT_EQ(limits, (CgroupLimits{1.5, 1073741824}));
}

TEST(CgroupLimits, TakesTheTightestOfTheGroupsAbove) {
  const CgroupLimits limits =
      ReadCgroupLimits(Files({{"/proc/self/cgroup", "0::/pod/main\n"},
                              {"/sys/fs/cgroup/pod/main/cpu.max", "max 100000\n"},
                              {"/sys/fs/cgroup/pod/cpu.max", "200000 100000\n"},
                              {"/sys/fs/cgroup/cpu.max", "400000 100000\n"},
                              {"/sys/fs/cgroup/pod/main/memory.max", "4096\n"},
                              {"/sys/fs/cgroup/pod/memory.max", "8192\n"}}));
  EXPECT_EQ(limits, (CgroupLimits{2, 4096}));
}

TEST(CgroupLimits, ReadsTheRootWhereAContainerSeesOnlyItself) {
  const CgroupLimits limits = ReadCgroupLimits(
      Files({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "50000 100000\n"}}));
  EXPECT_EQ(limits, (CgroupLimits{0.5, 0}));
}

TEST(CgroupLimits, ReadsVersion1ByController) {
  const CgroupLimits limits = ReadCgroupLimits(
      Files({{"/proc/self/cgroup", "5:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n0::/\n"},
             {"/sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "300000\n"},
             {"/sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us", "100000\n"},
             {"/sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes", "2048\n"}}));
  EXPECT_EQ(limits, (CgroupLimits{3, 2048}));
}

TEST(CgroupLimits, TakesVersion1sWordsForNoneAsNone) {
  const CgroupLimits limits = ReadCgroupLimits(
      Files({{"/proc/self/cgroup", "5:memory:/\n4:cpu,cpuacct:/\n"},
             {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
             {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
             {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}}));
  EXPECT_EQ(limits, CgroupLimits{});
}

TEST(CgroupLimits, HasNoLimitsWithoutFiles) {
  EXPECT_EQ(ReadCgroupLimits(Files({})), CgroupLimits{});
}

TEST(CgroupLimits, TakesMalformedTextAsNone) {
  EXPECT_EQ(ParseCpuMax("fast"), 0);
  EXPECT_EQ(ParseCpuMax("100000 0"), 0);
  EXPECT_EQ(ParseMemoryLimit("much"), 0u);
}

}  // namespace
}  // namespace tidemark
