#include "coordinator/core/job_spec/cluster_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coordinator/core/job_spec/job_yaml.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Texts = std::vector<std::pair<std::string, std::string>>;

absl::StatusOr<ResolvedJob> Resolved(const Texts& texts) {
  Settings settings;
  for (const auto& [name, text] : texts) {
    const absl::Status added = AddTexts(name, FlagName(name), {text}, settings);
    if (!added.ok()) return added;
  }
  return Resolve({settings});
}

std::string Refusal(Texts texts) {
  texts.insert(texts.begin(), {"coordinator", "a:7070"});
  absl::StatusOr<ResolvedJob> job = Resolved(texts);
  EXPECT_TRUE(job.ok()) << job.status();
  const absl::Status status = PrepareForCluster(*job);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(ClusterJob, NeedsAUrl) { EXPECT_EQ(Refusal({}), "a cluster has no built-in simulator: give --url"); }

TEST(ClusterJob, TakesNoSecretItselfAndSaysHowToNameOne) {
  const auto is_clear = AllOf(HasSubstr("--api-key-env"), HasSubstr("--secret-env"), Not(HasSubstr("sesame")));
  EXPECT_THAT(Refusal({{"url", "http://h:1"}, {"api_key", "sesame"}}), is_clear);
  EXPECT_THAT(Refusal({{"url", "http://h:1"}, {"header", "Authorization: Bearer sesame"}}), is_clear);
  EXPECT_THAT(Refusal({{"url", "http://h:1/v1?token=sesame"}}), is_clear);
}

TEST(ClusterJob, HasNoCapacityOfThisHost) {
  EXPECT_THAT(Refusal({{"url", "http://h:1"}, {"capacity", "8"}}), HasSubstr("tidemark-agent --capacity"));
}

TEST(ClusterJob, HasNoMetricsOfThisHost) {
  EXPECT_THAT(Refusal({{"url", "http://h:1"}, {"http", "127.0.0.1:0"}}), HasSubstr("tidemark-coordinator --http"));
}

TEST(ClusterJob, NotesWhatItsAgentsMustHave) {
  absl::StatusOr<ResolvedJob> job =
      Resolved({{"coordinator", "a:7070"}, {"url", "http://h:1"}, {"api_key_env", "KEY"}, {"ca_cert", "/ca.pem"}});
  ASSERT_TRUE(job.ok()) << job.status();
  ASSERT_TRUE(PrepareForCluster(*job).ok());
  EXPECT_THAT(job->spec.notes,
              ElementsAre(HasSubstr("KEY: the name of a secret that the agents hold"), HasSubstr("/ca.pem")));
}

TEST(ClusterSettings, AreWantedByCoordinatorOrContext) {
  EXPECT_FALSE(Resolved({{"url", "http://h:1"}})->command.cluster.wanted());
  EXPECT_TRUE(Resolved({{"coordinator", "a:1"}})->command.cluster.wanted());
  EXPECT_TRUE(Resolved({{"context", "lab"}})->command.cluster.wanted());
}

TEST(ClusterSettings, AreNoPartOfTheJob) {
  const absl::StatusOr<ResolvedJob> job =
      Resolved({{"coordinator", "a:1"}, {"token_file", "/t"}, {"url", "http://h:1"}});
  ASSERT_TRUE(job.ok());
  EXPECT_THAT(ToYaml(job->spec), AllOf(Not(HasSubstr("a:1")), Not(HasSubstr("/t"))));
}

TEST(ClusterSettings, FlagsOfAClusterWithoutOneAreRefused) {
  const absl::Status status = Resolved({{"tls_ca", "ca.crt"}}).status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("--tls-ca: is about a cluster: give --coordinator or --context too"));
}

TEST(ClusterSettings, OfTheEnvironmentMayBeThereForOtherCommands) {
  const absl::StatusOr<Settings> settings =
      SettingsFromEnvironment({"TIDEMARK_TLS_CA=ca.crt", "TIDEMARK_PLAINTEXT=true"});
  ASSERT_TRUE(settings.ok());
  EXPECT_TRUE(Resolve({*settings}).ok());
}

}  // namespace
}  // namespace tidemark
