#include "coordinator/core/job_spec/job_yaml.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/core/job_spec/job_file.h"
#include "coordinator/core/job_spec/resolve.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

JobSpec SpecOf(const std::string& yaml) {
  const auto settings = ParseJobFile(yaml, "job.yaml");
  EXPECT_TRUE(settings.ok()) << settings.status();
  const auto job = Resolve({*settings});
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? job->spec : JobSpec();
}

void ExpectReadsBackTheSame(const std::string& yaml) {
  const std::string once = ToYaml(SpecOf(yaml));
  EXPECT_EQ(ToYaml(SpecOf(once)), once);
}

TEST(JobYaml, ReadsBackAsTheSameJob) {
  ExpectReadsBackTheSame("name: d");
  ExpectReadsBackTheSame(
      "endpoint: {url: http://h:1, model: 'yes', headers: {X-Team: '1: 2'}, api_key_env: K}\n"
      "parameters: {concurrency: [8, 1], request_count: 7, extra_inputs: {a: [1, \"x\"]},\n"
      "  ttft_sla_ms: 333.125, error_rate_sla: 0.001, request_timeout_seconds: 12.345,\n"
      "  benchmark_grace_period: 3, isl_stddev: 0.1}\n"
      "labels: {n: '5', m: \"a\\nb\"}\nexport_records: sample:3\ntimestamps: user\nno_fill: true\nwait_ready: 5\n");
  ExpectReadsBackTheSame(
      "parameters: {search_recipe: max-concurrency-under-sla, e2e_sla_ms: 1234567.25, "
      "search_budget_tokens: 123456789012, search_start: 3}");
}

TEST(JobYaml, KeepsEveryValue) {
  const JobSpec spec = SpecOf("parameters: {ttft_sla_ms: 1234567.25, isl_stddev: 0.1, seed: 9007199254740992}");
  const JobSpec again = SpecOf(ToYaml(spec));
  EXPECT_EQ(again.slas, spec.slas);
  EXPECT_EQ(again.workload, spec.workload);
  EXPECT_EQ(again.limits, spec.limits);
}

TEST(JobYaml, LeavesSecretHeadersOutAndNamesThem) {
  const std::string yaml =
      ToYaml(SpecOf("endpoint: {headers: {Authorization: Bearer sesame, X-Team: a}}"));
  EXPECT_THAT(yaml, Not(HasSubstr("sesame")));
  EXPECT_THAT(yaml, HasSubstr("# headers not shown: Authorization"));
  EXPECT_THAT(yaml, HasSubstr("X-Team"));
}

TEST(JobYaml, IsAlsoOneLineOfJson) {
  const std::string json = ToJobJson(SpecOf("name: d"));
  EXPECT_THAT(json, StartsWith(R"({"name":"d","endpoint":{"api":"openai-chat"},"parameters":)"));
  EXPECT_THAT(json, Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace tidemark
