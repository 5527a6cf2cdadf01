// What cannot be run is refused with one clear line and exit code 2, before anything is sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

struct Refusal {
  const char* name;
  Flags flags;
  std::vector<const char*> said;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

// A folder that has job.yaml, with what the case names, and results/ with a file in it.
ProcessEnd RunIn(const TemporaryFolder& home, const Flags& flags,
                 std::optional<uint64_t> descriptor_limit = {}) {
  ProcessOptions options = SweepOptions(flags);
  options.folder = home.path();
  options.descriptor_limit = descriptor_limit;
  return RunToEnd(options, 10'000);
}

void ExpectRefused(const ProcessEnd& end, const std::vector<const char*>& said) {
  EXPECT_EQ(end.code, 2) << end.out << end.err;
  EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
  EXPECT_EQ(end.out, "");
  for (const char* text : said) EXPECT_THAT(end.err, HasSubstr(text));
}

class FlagRefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(FlagRefusalTest, IsOneLineAndExitCode2) {
  const TemporaryFolder home;
  home.Write("results/old.json", "{}");
  ExpectRefused(RunIn(home, GetParam().flags), GetParam().said);
  EXPECT_FALSE(std::filesystem::exists(home.File("tidemark-results")));
}

const Flags kSearch = {"--search-recipe", "max-concurrency-under-sla", "--e2e-sla-ms", "100"};

INSTANTIATE_TEST_SUITE_P(
    Flags, FlagRefusalTest,
    ::testing::Values(
        Refusal{"UnknownFlag", {"--concurency", "4"}, {"--concurency", "\"--concurrency\""}},
        Refusal{"NoFlag", {"extra"}, {"extra"}},
        Refusal{"NoValue", {"--url"}, {"--url", "value"}},
        Refusal{"ConcurrencyZero", {"--concurrency", "0"}, {"concurrency is 0", "from 1"}},
        Refusal{"ConcurrencyNegative", {"--concurrency", "-3"}, {"concurrency is -3", "from 1"}},
        Refusal{"ConcurrencyHole", {"--concurrency", "4,,8"}, {"concurrency is empty"}},
        Refusal{"CountZero", {"--request-count", "0"}, {"request-count is 0", "from 1"}},
        Refusal{"CountNegative", {"--request-count", "-1"}, {"request-count is -1", "from 1"}},
        Refusal{"CountOverflow",
                {"--request-count", "99999999999999999999"},
                {"request-count is 99999999999999999999", "1000000000000"}},
        Refusal{"LengthNotANumber", {"--osl", "abc"}, {"--osl is abc", "number"}},
        Refusal{"SearchWithConcurrency",
                Join(kSearch, {"--concurrency", "4"}),
                {"concurrency is 4", "search_recipe or concurrency"}},
        Refusal{"SearchWithoutSla",
                {"--search-recipe", "max-concurrency-under-sla"},
                {"needs an SLA", "e2e_sla_ms"}},
        Refusal{"SearchRangeUpsideDown",
                Join(kSearch, {"--concurrency-min", "10", "--concurrency-max", "5"}),
                {"concurrency-min is 10", "concurrency_max"}},
        Refusal{"UnknownRecipe", {"--search-recipe", "fastest"}, {"fastest", "max-concurrency"}},
        Refusal{"RecipeOfALaterVersion",
                {"--search-recipe", "pareto", "--e2e-sla-ms", "1"},
                {"pareto", "not supported yet"}},
        Refusal{"UnknownSlaMetric",
                {"--sla", "request_latncy:p99:lt:3"},
                {"request_latncy", "request_latency"}},
        Refusal{"StreamingSlaWithoutStreaming",
                {"--streaming", "false", "--ttft-sla-ms", "3"},
                {"time_to_first_token", "streaming"}},
        Refusal{"HostWithoutScheme", {"--url", "vllm:8000"}, {"vllm:8000", "http://vllm:8000"}},
        Refusal{"ForeignScheme", {"--url", "ftp://localhost:1"}, {"ftp://", "http or https"}},
        Refusal{"UnknownApi", {"--api", "openai"}, {"api is openai", "openai-chat"}},
        Refusal{"HeaderWithoutColon", {"-H", "foo"}, {"header", "Name: value"}},
        Refusal{"KeyVariableUnset",
                {"--api-key-env", "TIDEMARK_TEST_NOT_SET"},
                {"TIDEMARK_TEST_NOT_SET", "not set"}},
        Refusal{"AuthoritiesUnreadable", {"--ca-cert", "/none.pem"}, {"/none.pem", "PEM"}},
        Refusal{"OutputFolderWithFiles",
                {"--output-dir", "results"},
                {"results", "has files", "--overwrite"}},
        Refusal{"OutputFolderIsAFile", {"--output-dir", "results/old.json"}, {"old.json", "file"}},
        Refusal{"JobFileMissing", {"-f", "none.yaml"}, {"none.yaml", "No such file"}}),
    [](const auto& info) { return info.param.name; });

class LaterParameterTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LaterParameterTest, IsKnownAndRefusedByName) {
  const TemporaryFolder home;
  const std::string name = GetParam();
  home.Write("job.yaml", "parameters: {" + name + ": 1}\n");
  ExpectRefused(RunIn(home, {"-f", "job.yaml"}), {name.c_str(), "not supported yet"});
}

INSTANTIATE_TEST_SUITE_P(Parameters, LaterParameterTest,
                         ::testing::Values("request_rate", "arrival_pattern", "benchmark_duration",
                                           "goodput", "tokenizer", "num_conversations",
                                           "warmup_request_count", "public_dataset",
                                           "prefill_concurrency", "input_file"),
                         [](const auto& info) { return std::string(info.param); });

struct JobFile {
  const char* name;
  const char* text;
  std::vector<const char*> said;
};

void PrintTo(const JobFile& file, std::ostream* out) { *out << file.name; }

class JobFileRefusalTest : public ::testing::TestWithParam<JobFile> {};

TEST_P(JobFileRefusalTest, NamesLineAndColumn) {
  const TemporaryFolder home;
  home.Write("job.yaml", GetParam().text);
  ExpectRefused(RunIn(home, {"-f", "job.yaml"}), GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    Files, JobFileRefusalTest,
    ::testing::Values(
        JobFile{"UnknownKey",
                "parameters:\n  concurency: [1]\n",
                {"job.yaml:2:3", "concurency", "\"concurrency\""}},
        JobFile{"UnknownTopKey", "endpiont: {url: localhost:1}\n", {"job.yaml:1:1", "endpoint"}},
        JobFile{"OpenBracket", "parameters: {concurrency: [1, 2\n", {"job.yaml:", "YAML"}},
        JobFile{"Tab", "a: 1\n\tb: 2\n", {"job.yaml:2:1", "tab"}},
        JobFile{"BadValue",
                "parameters:\n  request_count: many\n",
                {"job.yaml:2:18", "many", "whole number"}}),
    [](const auto& info) { return info.param.name; });

TEST(DescriptorLimit, ConcurrencyAboveItIsRefusedWithWhatIsPossible) {
  const TemporaryFolder home;
  ExpectRefused(RunIn(home, {"--concurrency", "4,64"}, 300), {"concurrency is 64", "at most 44"});
}

TEST(UnknownCommand, IsRefusedWithTheNearestOne) {
  ProcessOptions options;
  options.arguments = {TIDEMARK_BIN_DIR "/tidemark", "swep"};
  ExpectRefused(RunToEnd(options, 10'000), {"swep", "\"sweep\""});
}

}  // namespace
}  // namespace tidemark::testing
