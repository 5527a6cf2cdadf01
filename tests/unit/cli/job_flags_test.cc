#include "cli/job_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

JobFlags Parsed(const std::string& command, const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment = {}) {
  const absl::StatusOr<JobFlags> flags = ParseJobFlags(command, arguments, environment);
  EXPECT_TRUE(flags.ok()) << flags.status();
  return flags.value_or(JobFlags());
}

std::string Refusal(const std::string& command, const std::vector<std::string>& arguments) {
  const absl::Status status = ParseJobFlags(command, arguments, {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(JobFlags, AJobStandsAnywhereAmongTheFlags) {
  EXPECT_EQ(Parsed("stop", {"--now", "job-1"}).job_id, "job-1");
  EXPECT_TRUE(Parsed("stop", {"job-1", "--now"}).now);
  EXPECT_EQ(Parsed("stop", {"--context", "prod", "job-1"}).job_id, "job-1");
}

TEST(JobFlags, ACommandOfAJobWantsOne) {
  EXPECT_EQ(Refusal("wait", {}), "which job? tidemark job wait ID; tidemark job list shows them");
  EXPECT_EQ(Refusal("wait", {"a", "b"}), "unexpected argument \"b\"");
  EXPECT_EQ(Refusal("list", {"a"}), "unexpected argument \"a\"");
}

TEST(JobFlags, AMisspeltFlagGetsTheNearestOne) {
  EXPECT_EQ(Refusal("results", {"a", "--output-dr", "x"}),
            "unknown flag --output-dr: did you mean \"--output-dir\"?");
}

TEST(JobFlags, AreThoseOfTheCommand) {
  EXPECT_THAT(Refusal("describe", {"a", "--now"}), HasSubstr("unknown flag --now"));
  EXPECT_THAT(Refusal("agents", {"--limit", "3"}), HasSubstr("unknown flag --limit"));
}

TEST(JobFlags, NameTheCluster) {
  const JobFlags flags = Parsed("agents", {"--coordinator", "a:1", "--tls-cert", "c", "--tls-key", "k", "--tls-ca",
                                           "a", "--token-file", "t", "--json"});
  EXPECT_EQ(flags.cluster.coordinator, "a:1");
  EXPECT_EQ(flags.cluster.tls_key, "k");
  EXPECT_EQ(flags.cluster.token_file, "t");
  EXPECT_FALSE(flags.cluster.plaintext.has_value());
  EXPECT_TRUE(flags.json);
}

TEST(JobFlags, VariablesStandForFlagsThatAreNotGiven) {
  const std::vector<std::string> environment = {"TIDEMARK_COORDINATOR=env:1", "TIDEMARK_PLAINTEXT=true",
                                                "TIDEMARK_COORDINATOR_SERVICE_HOST=10.0.0.1"};
  EXPECT_EQ(Parsed("list", {}, environment).cluster.coordinator, "env:1");
  EXPECT_EQ(Parsed("list", {}, environment).cluster.plaintext, true);
  const JobFlags flags = Parsed("list", {"--context", "prod"}, environment);
  EXPECT_EQ(flags.cluster.coordinator, "");
  EXPECT_EQ(flags.cluster.context, "prod");
}

TEST(JobFlags, NumbersAreChecked) {
  EXPECT_EQ(Parsed("wait", {"a", "--timeout", "1.5"}).timeout_s, 1.5);
  EXPECT_THAT(Refusal("wait", {"a", "--timeout", "soon"}), HasSubstr("--timeout is soon: want seconds"));
  EXPECT_THAT(Refusal("list", {"--limit", "0"}), HasSubstr("--limit is 0: want 1 to 10000"));
}

TEST(JobFlags, StatesAreChecked) {
  EXPECT_THAT(Parsed("list", {"--state", "queued", "--state", "running"}).states, ElementsAre("queued", "running"));
  EXPECT_THAT(Refusal("list", {"--state", "done"}), HasSubstr("--state is done: want queued, running"));
}

TEST(JobFlags, HelpNeedsNoJob) { EXPECT_TRUE(Parsed("stop", {"--help"}).help); }

}  // namespace
}  // namespace tidemark
