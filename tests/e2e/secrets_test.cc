// A secret is nowhere but in the request: not on a screen, not in a file, not in the process list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kKey[] = "sk-e2e-4f1d9c27b6";
const Flags kSmall = {"--concurrency", "2", "--request-count", "5", "--isl", "16", "--osl", "4",
                      "--log-level", "debug"};

struct Way {
  const char* name;
  Flags flags;
  std::vector<std::string> environment;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class SecretsTest : public ::testing::TestWithParam<Way> {};

TEST_P(SecretsTest, KeyWorksAndIsPrintedNowhere) {
  const SimulatorProcess simulator({"--require-key", kKey});
  const SweepRun run =
      RunSweep(simulator.url(), Join(kSmall, GetParam().flags), 30'000, GetParam().environment);
  EXPECT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_THAT(run.end.out, Not(HasSubstr(kKey)));
  EXPECT_THAT(run.end.err, Not(HasSubstr(kKey)));
  EXPECT_THAT(AllText(run.folder), Not(HasSubstr(kKey)));
}

TEST_P(SecretsTest, RefusedKeyIsPrintedNowhere) {
  const SimulatorProcess simulator({"--require-key", "another"});
  const SweepRun run =
      RunSweep(simulator.url(), Join(kSmall, GetParam().flags), 30'000, GetParam().environment);
  EXPECT_EQ(run.end.code, 1) << run.all_output();
  EXPECT_THAT(run.all_output(), HasSubstr("401"));
  EXPECT_THAT(run.all_output() + AllText(run.folder), Not(HasSubstr(kKey)));
}

INSTANTIATE_TEST_SUITE_P(
    Ways, SecretsTest,
    ::testing::Values(Way{"Flag", {"--api-key", kKey}, {}},
                      Way{"Variable", {"--api-key-env", "E2E_KEY"}, {absl::StrCat("E2E_KEY=", kKey)}},
                      Way{"Header", {"-H", absl::StrCat("Authorization: Bearer ", kKey)}, {}}),
    [](const auto& info) { return info.param.name; });

TEST(SecretsInProcessList, KeyOfTheCommandLineIsOverwritten) {
  const SimulatorProcess simulator({"--require-key", kKey, "--delay-ms", "100", "--itl-ms", "50"});
  const TemporaryFolder home;
  Process sweep(SweepOptions(Join(kSmall, {"--url", simulator.url(), "--api-key", kKey,
                                           "--output-dir", home.File("result")})));
  ASSERT_TRUE(sweep.WaitForText("probe", 10'000)) << sweep.err();
  EXPECT_THAT(ReadFile(absl::StrCat("/proc/", sweep.pid(), "/cmdline")), Not(HasSubstr(kKey)));
  EXPECT_TRUE(Ran(sweep.Wait(20'000).value_or(-1)));
}

}  // namespace
}  // namespace tidemark::testing
