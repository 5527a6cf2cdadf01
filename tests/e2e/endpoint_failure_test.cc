// An endpoint that cannot be measured: exit code 1 with its address, the reason and what to do,
// before any level.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/e2e/sweep_run.h"
#include "tests/support/test_certificate.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

const Flags kSmall = {"--concurrency", "2", "--request-count", "5", "--isl", "16", "--osl", "4",
                      "--connect-timeout-seconds", "5"};
constexpr int64_t kWithinMs = 9'000;  // the connect limit and the program's start and end

void ExpectRefused(const SweepRun& run, const std::string& address,
                   const std::vector<std::string>& said) {
  EXPECT_EQ(run.end.code, 1) << run.all_output();
  EXPECT_LT(run.end.ms, kWithinMs);
  EXPECT_THAT(run.all_output(), HasSubstr(address));
  for (const std::string& text : said) EXPECT_THAT(run.all_output(), HasSubstr(text));
  EXPECT_EQ(run.result.levels_size(), 0);
}

TEST(EndpointFailure, NobodyListens) {
  const std::string url = absl::StrCat("http://127.0.0.1:", FreePort());
  const SweepRun run = RunSweep(url, Join(kSmall, {"--model", "m"}));
  ExpectRefused(run, url, {"connect to"});
  EXPECT_EQ(run.result.error().type(), "connect");
}

TEST(EndpointFailure, NobodyListensAndNoModelIsGiven) {
  const std::string url = absl::StrCat("http://127.0.0.1:", FreePort());
  ExpectRefused(RunSweep(url, kSmall), url, {"connect to"});
}

TEST(EndpointFailure, NameThatDoesNotExist) {
  const SweepRun run =
      RunSweep("http://no-such-host.invalid:8000", Join(kSmall, {"--model", "m"}));
  ExpectRefused(run, "no-such-host.invalid", {});
  EXPECT_EQ(run.result.error().type(), "dns");
}

TEST(EndpointFailure, KeyMissingIs401WithTheFlagThatGivesOne) {
  const SimulatorProcess simulator({"--require-key", "right"});
  const SweepRun run = RunSweep(simulator.url(), kSmall);
  ExpectRefused(run, simulator.url(), {"401", "--api-key-env"});
  EXPECT_EQ(run.result.error().type(), "http_401");
  EXPECT_LE(simulator.Posts(), 1);
}

TEST(EndpointFailure, WrongPathIs404) {
  const SimulatorProcess simulator;
  const SweepRun run =
      RunSweep(simulator.url() + "/v2/chat/completions", Join(kSmall, {"--model", "tidemark-sim"}));
  ExpectRefused(run, simulator.url(), {"404"});
  EXPECT_EQ(run.result.error().type(), "http_404");
}

TEST(EndpointFailure, UnknownModelIs404WithTheServersWords) {
  const SimulatorProcess simulator;
  const SweepRun run = RunSweep(simulator.url(), Join(kSmall, {"--model", "llama"}));
  ExpectRefused(run, simulator.url(), {"404", "llama"});
  EXPECT_LE(simulator.Posts(), 1);
}

TEST(EndpointFailure, SeveralModelsAreNamed) {
  const SimulatorProcess simulator({"--model", "first", "--model", "second"});
  ExpectRefused(RunSweep(simulator.url(), kSmall), simulator.url(),
                {"first", "second", "--model"});
}

TEST(EndpointFailure, ChatOnABaseModelNamesTheOtherApi) {
  const SimulatorProcess simulator({"--base-model", "base"});
  const SweepRun run = RunSweep(simulator.url(), Join(kSmall, {"--model", "base"}));
  ExpectRefused(run, simulator.url(), {"--api openai-completions"});
  EXPECT_LE(simulator.Posts(), 2);
}

TEST(EndpointFailure, BuiltInTargetThatWasAskedForTheWrongModelIsRefusedToo) {
  const SweepRun run = RunSweep("", Join(kSmall, {"--model", "llama"}));
  EXPECT_EQ(run.end.code, 1) << run.all_output();
  EXPECT_THAT(run.all_output(), HasSubstr("llama"));
}

class EndpointTlsTest : public ::testing::Test {
 protected:
  const TemporaryFolder home_;
  const TestCertificate certificate_{home_.path() + "/", "server"};
  const SimulatorProcess simulator_{
      {"--tls-cert", certificate_.cert(), "--tls-key", certificate_.key()}};
};

TEST_F(EndpointTlsTest, UnknownAuthorityIsRefusedWithTheFlagsThatHelp) {
  const SweepRun run = RunSweep(simulator_.url(), kSmall);
  ExpectRefused(run, simulator_.url(), {"--ca-cert"});
  EXPECT_EQ(run.result.error().type(), "tls");
}

TEST_F(EndpointTlsTest, OwnAuthorityIsTrusted) {
  const SweepRun run =
      RunSweep(simulator_.url(), Join(kSmall, {"--ca-cert", certificate_.cert()}));
  EXPECT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_EQ(LevelOf(run.result, 2).measured().ok(), 5u);
}

TEST_F(EndpointTlsTest, InsecureVerifiesNothing) {
  const SweepRun run = RunSweep(simulator_.url(), Join(kSmall, {"--insecure"}));
  EXPECT_TRUE(Ran(run.end.code)) << run.all_output();
  EXPECT_EQ(LevelOf(run.result, 2).measured().ok(), 5u);
}

TEST_F(EndpointTlsTest, PlainHttpToAnHttpsPortIsRefusedInWords) {
  const std::string url = absl::StrCat("http://127.0.0.1:", simulator_.port());
  const SweepRun run = RunSweep(url, Join(kSmall, {"--model", "tidemark-sim"}));
  EXPECT_EQ(run.end.code, 1) << run.all_output();
  EXPECT_THAT(run.all_output(), HasSubstr(url));
}

TEST(WaitReady, ServerThatComesUpLateIsMeasured) {
  const int port = FreePort();
  const TemporaryFolder home;
  const std::string folder = home.File("result");
  Process sweep(SweepOptions(
      Join(kSmall, {"--url", absl::StrCat("http://127.0.0.1:", port), "--wait-ready", "20",
                    "--output-dir", folder})));
  PauseMs(1'500);
  ASSERT_TRUE(sweep.Running()) << sweep.err();
  const SimulatorProcess simulator({}, port);
  EXPECT_TRUE(Ran(sweep.Wait(20'000).value_or(-1))) << sweep.err();
  EXPECT_EQ(LevelOf(ReadResult(folder), 2).measured().ok(), 5u);
}

TEST(WaitReady, ServerThatNeverComesIsGivenUpAtTheEnd) {
  const std::string url = absl::StrCat("http://127.0.0.1:", FreePort());
  const SweepRun run = RunSweep(url, Join(kSmall, {"--wait-ready", "2"}));
  ExpectRefused(run, url, {"connect to"});
  EXPECT_GE(run.end.ms, 1'500);
}

}  // namespace
}  // namespace tidemark::testing
