#include "coordinator/core/job_spec/resolve.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/core/job_spec/job_file.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

using Flags = std::vector<std::pair<std::string, std::string>>;

Settings LayerOf(const Flags& flags) {
  Settings layer;
  for (const auto& [name, text] : flags) {
    EXPECT_TRUE(AddTexts(name, name, {text}, layer).ok()) << name;
  }
  return layer;
}

absl::StatusOr<ResolvedJob> FromFlags(const Flags& flags) { return Resolve({LayerOf(flags)}); }

JobSpec Good(const Flags& flags) {
  const auto job = FromFlags(flags);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? job->spec : JobSpec();
}

std::string Problem(const Flags& flags) {
  const auto job = FromFlags(flags);
  return job.ok() ? "" : std::string(job.status().message());
}

const Flags kSearch = {{"search_recipe", "max-concurrency-under-sla"}, {"e2e_sla_ms", "5000"}};

Flags SearchWith(const Flags& more) {
  Flags flags = kSearch;
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

TEST(Resolve, FillsInTheDefaults) {
  const JobSpec spec = Good({});
  EXPECT_THAT(spec.concurrency, ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_FALSE(spec.request_count.has_value());
  EXPECT_EQ(spec.level_cap_seconds, 60);
  EXPECT_EQ(spec.workload.input.mean, 512);
  EXPECT_EQ(spec.workload.output.mean, 128);
  EXPECT_EQ(spec.workload.seed, 42u);
  EXPECT_TRUE(spec.workload.streaming);
  EXPECT_TRUE(spec.workload.fixed_output_length);
  EXPECT_EQ(spec.limits, (TimeLimits{30'000, 0, 0, 600'000}));
  EXPECT_EQ(spec.endpoint.api, "openai-chat");
  EXPECT_THAT(spec.endpoint.urls, IsEmpty());
  EXPECT_THAT(spec.slas, IsEmpty());
  EXPECT_TRUE(spec.fill);
}

TEST(Resolve, LetsFlagsWinOverEnvironmentAndFiles) {
  const auto job = Resolve({LayerOf({{"isl", "1"}}), LayerOf({{"isl", "2"}, {"osl", "2"}}),
                            LayerOf({{"osl", "3"}, {"random_seed", "3"}}),
                            *ParseJobFile("parameters: {seed: 4, request_count: 4}", "j")});
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->spec.workload.input.mean, 1);
  EXPECT_EQ(job->spec.workload.output.mean, 2);
  EXPECT_EQ(job->spec.workload.seed, 3u);
  EXPECT_EQ(job->spec.request_count, 4u);
}

TEST(Resolve, NamesFieldValueAndWhatWouldBeRight) {
  EXPECT_EQ(Problem({{"concurrency", "0"}}),
            "concurrency is 0: want a whole number from 1 to 1000000");
  EXPECT_THAT(Problem({{"e2e_sla_ms", "x"}}), HasSubstr("want a number over 0, at most 1000000000"));
  EXPECT_THAT(Problem({{"request_count", "99999999999999999999"}}),
              StartsWith("request_count is 99999999999999999999: want a whole number from 1"));
  for (const char* text : {"-5", "5.5", "5x", "", "0x10", "1e3"}) {
    EXPECT_THAT(Problem({{"request_count", text}}), StartsWith("request_count is ")) << text;
  }
  for (const char* text : {"nan", "inf", "-1", "0", "x", ""}) {
    EXPECT_THAT(Problem({{"output_tokens_mean", text}}), StartsWith("output_tokens_mean is ")) << text;
  }
  EXPECT_THAT(Problem({{"streaming", "maybe"}}), HasSubstr("want true or false"));
}

TEST(Resolve, NamesThePlaceOfAWrongValueInAFile) {
  const auto job = Resolve({*ParseJobFile("parameters:\n  concurrency: [1, 0]\n", "job.yaml")});
  EXPECT_EQ(std::string(job.status().message()),
            "job.yaml:2:16: concurrency is 0: want a whole number from 1 to 1000000");
}

TEST(Resolve, KeepsTheOrderOfLevelsAndRefusesTwoOfOne) {
  EXPECT_THAT(Good({{"concurrency", "64, 1,8"}}).concurrency, ElementsAre(64, 1, 8));
  EXPECT_THAT(Problem({{"concurrency", "8,1,8"}}), HasSubstr("has 8 twice"));
  EXPECT_NE(Problem({{"concurrency", "1,,8"}}), "");
}

TEST(Resolve, RefusesParametersOfLaterVersionsByName) {
  EXPECT_EQ(Problem({{"request_rate", "5"}}), "request_rate: not supported yet");
  EXPECT_THAT(Problem({{"api", "tgi"}}), HasSubstr("not supported yet"));
  EXPECT_THAT(Problem(SearchWith({{"search_planner", "adaptive"}})), HasSubstr("not supported yet"));
  EXPECT_THAT(Problem({{"search_recipe", "pareto"}, {"e2e_sla_ms", "5"}}),
              HasSubstr("search_recipe is pareto: not supported yet"));
}

TEST(Resolve, KnowsPeersNamesOfApis) {
  EXPECT_EQ(Good({{"endpoint_type", "chat"}}).endpoint.api, "openai-chat");
  EXPECT_EQ(Good({{"api", "completions"}}).endpoint.api, "openai-completions");
  EXPECT_THAT(Problem({{"api", "openai-chta"}}), HasSubstr("did you mean openai-chat?"));
}

TEST(Resolve, BuildsASearch) {
  const JobSpec spec = Good(SearchWith({{"concurrency_min", "4"}, {"search_precision", "0.1"}}));
  ASSERT_TRUE(spec.search.has_value());
  EXPECT_EQ(spec.search->spec.min, 4u);
  EXPECT_EQ(spec.search->spec.max, 1000u);
  EXPECT_FALSE(spec.search->max_given);
  EXPECT_EQ(spec.search->spec.max_iterations, 20);
  EXPECT_EQ(spec.search->spec.budget.seconds, 1800);
  EXPECT_THAT(spec.concurrency, IsEmpty());
  ASSERT_EQ(spec.slas.size(), 2u);
  EXPECT_EQ(spec.slas[0], (Sla{"request_latency", SlaStat::kP99, SlaOp::kLt, 5000, false}));
  EXPECT_TRUE(spec.slas[1].implied);
}

TEST(Resolve, RefusesASearchWithAFixedConcurrency) {
  EXPECT_THAT(Problem(SearchWith({{"concurrency", "5"}})),
              StartsWith("concurrency is 5: a search chooses the concurrency itself"));
}

TEST(Resolve, RefusesASearchWithoutAnSla) {
  EXPECT_THAT(Problem({{"search_recipe", "max-concurrency-under-sla"}}), HasSubstr("needs an SLA"));
}

TEST(Resolve, RefusesParametersOfASearchWithoutOne) {
  EXPECT_THAT(Problem({{"concurrency_max", "50"}}), HasSubstr("only in a search"));
}

TEST(Resolve, RefusesARangeThatIsEmpty) {
  EXPECT_THAT(Problem(SearchWith({{"concurrency_min", "9"}, {"concurrency_max", "8"}})),
              StartsWith("concurrency_min is 9: "));
  EXPECT_THAT(Problem(SearchWith({{"search_start", "9"}, {"concurrency_max", "8"}})),
              StartsWith("search_start is 9: "));
}

TEST(Resolve, SaysThatInitialPointsHaveNoEffect) {
  EXPECT_THAT(Good(SearchWith({{"search_initial_points", "3"}})).notes,
              ElementsAre(HasSubstr("search_initial_points: accepted without effect")));
}

TEST(Resolve, RefusesAFirstTokenSlaWithoutStreaming) {
  EXPECT_THAT(Problem({{"streaming", "false"}, {"ttft_sla_ms", "5"}}), HasSubstr("streaming: true"));
  EXPECT_EQ(Problem({{"streaming", "false"}, {"e2e_sla_ms", "5"}}), "");
}

TEST(Resolve, ReadsExtraInputsAsPairsOrJson) {
  EXPECT_EQ(Good({{"extra_inputs", "temperature:0.7 name:x"}}).workload.extra_inputs_json,
            R"({"temperature":0.7,"name":"x"})");
  EXPECT_EQ(Good({{"extra_inputs", R"({"a": {"b": [1]}})"}}).workload.extra_inputs_json,
            R"({"a":{"b":[1]}})");
  EXPECT_THAT(Problem({{"extra_inputs", "temperature"}}), HasSubstr("want k:v pairs or a JSON object"));
  EXPECT_THAT(Problem({{"extra_inputs", "{\"a\": "}}), HasSubstr("want k:v pairs or a JSON object"));
}

TEST(Resolve, RefusesHeadersThatWouldBreakARequest) {
  const std::string problem = Problem({{"header", "X-Key: sesame\r\nHost: evil"}});
  EXPECT_THAT(problem, HasSubstr("line end"));
  EXPECT_THAT(problem, Not(HasSubstr("sesame")));
  EXPECT_THAT(Problem({{"header", "X Key: a"}}), HasSubstr("no header name"));
  EXPECT_THAT(Problem({{"header", "content-length: 5"}}), HasSubstr("set by the request itself"));
}

TEST(Resolve, TakesTheKeyOnlyByNameAndNeverRepeatsIt) {
  EXPECT_EQ(Good({{"api_key_env", "KEY"}}).endpoint.api_key_env, "KEY");
  const std::string problem = Problem({{"api_key_env", "sk-sesame"}});
  EXPECT_THAT(problem, HasSubstr("name of an environment variable"));
  EXPECT_THAT(problem, Not(HasSubstr("sesame")));
  EXPECT_THAT(Problem({{"header", "authorization: x"}, {"api_key_env", "K"}}), HasSubstr("give one"));
}

TEST(Resolve, PrefersANamedVariableToAKeyThatLiesInTheEnvironment) {
  Settings environment;
  ASSERT_TRUE(AddTexts("api_key", "TIDEMARK_API_KEY", {"sesame"}, environment).ok());
  const auto job = Resolve({LayerOf({{"api_key_env", "K"}}), environment});
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->command.api_key, "");
  EXPECT_EQ(job->spec.endpoint.api_key_env, "K");
}

TEST(Resolve, ReadsRecordsLabelsAndName) {
  const JobSpec spec =
      Good({{"export_records", "sample:10"}, {"label", "team=a=b"}, {"name", "run-1"}});
  EXPECT_EQ(spec.records, RecordExport::kSample);
  EXPECT_EQ(spec.record_one_in, 10u);
  EXPECT_THAT(spec.labels, ElementsAre(Pair("team", "a=b")));
  EXPECT_EQ(spec.name, "run-1");
  EXPECT_THAT(Problem({{"export_records", "sample:0"}}), HasSubstr("sample:N"));
  EXPECT_THAT(Problem({{"name", "../x"}}), StartsWith("name is ../x: "));
}

TEST(Resolve, ArrivalTimesAreTheKernelsUnlessTheLoopsAreAskedFor) {
  EXPECT_FALSE(Good({}).user_timestamps);
  EXPECT_FALSE(Good({{"timestamps", "kernel"}}).user_timestamps);
  EXPECT_TRUE(Good({{"timestamps", "user"}}).user_timestamps);
  EXPECT_THAT(Problem({{"timestamps", "gpu"}}), StartsWith("timestamps is gpu: want kernel or user"));
}

TEST(Resolve, RefusesATimeCapBesideACount) {
  EXPECT_THAT(Problem({{"request_count", "5"}, {"level_cap_seconds", "5"}}), HasSubstr("no time cap"));
}

TEST(Resolve, RefusesALimitBeyondTheWholeRequests) {
  EXPECT_THAT(Problem({{"request_timeout_seconds", "5"}, {"idle_timeout_seconds", "6"}}),
              StartsWith("idle_timeout_seconds is 6: want at most request_timeout_seconds, 5"));
  EXPECT_EQ(Good({{"request_timeout_seconds", "5"}}).limits.connect_ms, 5000u);
}

TEST(Resolve, RefusesAHostWithoutASchemeThatIsNotLoopback) {
  EXPECT_THAT(Problem({{"url", "vllm:8000"}}), StartsWith("url: "));
  EXPECT_THAT(Good({{"url", "http://vllm:8000"}}).endpoint.urls,
              ElementsAre("http://vllm:8000/v1/chat/completions"));
}

TEST(ApplyCapacity, RefusesLevelsBeyondIt) {
  JobSpec spec = Good({{"concurrency", "8,1000"}});
  EXPECT_TRUE(ApplyCapacity(1000, "b", "c", spec).ok());
  EXPECT_EQ(std::string(ApplyCapacity(768, "of 1024 files", "raise them", spec).message()),
            "concurrency is 1000: at most 768 here, for of 1024 files; raise them; 2 agents like this host would carry it "
            "(--coordinator)");
}

TEST(ApplyCapacity, LowersTheEndOfASearchThatWasNotGivenAndSaysSo) {
  JobSpec spec = Good(kSearch);
  ASSERT_TRUE(ApplyCapacity(768, "because", "cure", spec).ok());
  EXPECT_EQ(spec.search->spec.max, 768u);
  EXPECT_THAT(spec.notes, ElementsAre(HasSubstr("lowered to 768")));
}

TEST(ApplyCapacity, RefusesAGivenEndOfASearchBeyondIt) {
  JobSpec spec = Good(SearchWith({{"concurrency_max", "1000"}}));
  EXPECT_THAT(std::string(ApplyCapacity(768, "b", "c", spec).message()),
              StartsWith("concurrency_max is 1000: at most 768"));
}

}  // namespace
}  // namespace tidemark
