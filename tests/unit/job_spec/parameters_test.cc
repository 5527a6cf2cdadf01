#include "coordinator/core/job_spec/parameters.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(Parameters, HaveUniqueNamesAndAliases) {
  std::set<std::string> seen;
  for (const Parameter& parameter : ParameterTable()) {
    for (const std::string& name : NamesOf(parameter)) EXPECT_TRUE(seen.insert(name).second) << name;
  }
}

TEST(Parameters, AreSpelledWithUnderscoresAndHaveHelp) {
  for (const Parameter& parameter : ParameterTable()) {
    for (const std::string& name : NamesOf(parameter)) {
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), std::string::npos)
          << name;
    }
    EXPECT_FALSE(parameter.help.empty()) << std::string(parameter.name);
    EXPECT_NE(parameter.help.back(), '.') << std::string(parameter.name);
  }
}

TEST(Parameters, KnowEveryNameOfTheControlApi) {
  for (const char* name :
       {"prompt_input_tokens_mean", "synthetic_input_tokens_mean", "isl", "isl_stddev",
        "output_tokens_mean", "prompt_output_tokens_mean", "osl", "output_tokens_stddev",
        "concurrency", "request_count", "num_requests", "request_rate", "benchmark_duration",
        "max_concurrency", "request_rate_mode", "arrival_pattern", "arrival_smoothness",
        "vllm_burstiness", "prefill_concurrency", "streaming", "tokenizer", "model",
        "request_timeout_seconds", "goodput", "benchmark_grace_period", "extra_inputs",
        "random_seed", "num_conversations", "model_selection_strategy", "warmup_request_count",
        "num_warmup_requests", "warmup_duration", "warmup_concurrency", "warmup_request_rate",
        "public_dataset", "custom_dataset_type", "input_file", "dataset_sampling_strategy",
        "search_recipe", "ttft_sla_ms", "tpot_sla_ms", "e2e_sla_ms", "error_rate_sla",
        "search_stat", "concurrency_min", "concurrency_max", "search_max_iterations",
        "search_initial_points"}) {
    EXPECT_NE(FindParameter(name), nullptr) << name;
  }
}

TEST(Parameters, SpellFlagsWithDashesAndVariablesInCapitals) {
  EXPECT_EQ(FlagName("request_count"), "--request-count");
  EXPECT_EQ(EnvironmentName("request_count"), "TIDEMARK_REQUEST_COUNT");
}

constexpr char kPage[] = TIDEMARK_SOURCE_DIR "/docs/parameters.md";

TEST(ParametersMarkdown, IsWhatDocsHold) {
  // The one way to write the page: run this test with the variable set.
  if (std::getenv("UPDATE_PARAMETERS_PAGE") != nullptr) std::ofstream(kPage) << ParametersMarkdown();
  std::ifstream file(kPage);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), ParametersMarkdown()) << "run job_spec_test with UPDATE_PARAMETERS_PAGE=1";
}

}  // namespace
}  // namespace tidemark
