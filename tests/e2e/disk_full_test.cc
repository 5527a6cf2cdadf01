// A result that cannot be kept: the answer is printed all the same, the reason is said, exit code 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/e2e/sweep_run.h"
#include "tests/support/small_disk.h"

namespace tidemark::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

ProcessEnd SweepInto(const std::string& folder, const Flags& more = {}) {
  const SimulatorProcess simulator;
  return RunToEnd(
      SweepOptions(Join({"--url", simulator.url(), "--concurrency", "1,2", "--request-count", "50",
                         "--isl", "16", "--osl", "4", "--output-dir", folder},
                        more)),
      30'000);
}

TEST(DiskFull, ReasonIsSaidAndTheAnswerIsPrinted) {
  const TemporaryFolder home;
  const SmallDisk disk(home.path(), "size=16k");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount";
  const ProcessEnd end = SweepInto(disk.path() + "/result");
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.err, HasSubstr("No space left on device"));
  EXPECT_THAT(end.out, HasSubstr("tok"));
  EXPECT_THAT(end.out, Not(HasSubstr("report.html"))) << "it is not there";
}

TEST(ReadOnlyFolder, IsSaidBeforeAnythingIsSent) {
  const TemporaryFolder home;
  const SmallDisk disk(home.path(), "size=64k");
  if (!disk.mounted()) GTEST_SKIP() << "needs the right to mount";
  ASSERT_EQ(mount("tmpfs", disk.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k"), 0);
  const SimulatorProcess simulator;
  const ProcessEnd end =
      RunToEnd(SweepOptions({"--url", simulator.url(), "--concurrency", "1", "--output-dir",
                             disk.path() + "/result"}),
               30'000);
  EXPECT_EQ(end.code, 1) << end.out << end.err;
  EXPECT_THAT(end.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(simulator.Stat("requests"), 0);
}

TEST(StandardOutputFull, IsSaid) {
  const TemporaryFolder home;
  const SimulatorProcess simulator;
  ProcessOptions options;
  options.arguments = {"/bin/sh", "-c",
                       "exec \"$0\" sweep --url \"$1\" --concurrency 1 --request-count 3 --isl 16 "
                       "--osl 4 --output-dir \"$2\" >/dev/full",
                       TIDEMARK_BIN_DIR "/tidemark", simulator.url(), home.File("result")};
  const ProcessEnd end = RunToEnd(options, 30'000);
  EXPECT_EQ(end.code, 1) << end.err;
  EXPECT_THAT(end.err, HasSubstr("standard output"));
}

}  // namespace
}  // namespace tidemark::testing
