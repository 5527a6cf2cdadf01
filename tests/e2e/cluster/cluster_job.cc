#include "tests/e2e/cluster/cluster_job.h"

#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/support/process.h"

namespace tidemark::testing {

std::string JobText(const ClusterJob& job) {
  return absl::StrCat("endpoint: {url: \"", job.url, "\", model: tidemark-sim}\n",
                      "parameters: {concurrency: [", absl::StrJoin(job.concurrency, ", "),
                      "], request_count: ", job.requests, ", isl: 16, osl: ", job.answer, job.more, "}\n");
}

std::string NamedUrl(int port) { return absl::StrCat("http://", kEndpointName, ":", port); }

std::vector<std::string> AgentsOf(const v1::LevelResult& level) {
  std::vector<std::string> agents;
  for (const v1::AgentShare& share : level.agents()) agents.push_back(share.agent());
  return agents;
}

void ExpectExactly(uint64_t requests, const v1::LevelResult& level) {
  uint64_t planned = 0, sent = 0, slots = 0;
  for (const v1::AgentShare& share : level.agents()) {
    EXPECT_GT(share.slots(), 0u) << share.agent() << " has a share and no slots";
    EXPECT_EQ(share.measured().sent(), share.requests()) << share.agent();
    planned += share.requests();
    sent += share.measured().sent();
    slots += share.slots();
  }
  EXPECT_EQ(planned, requests);
  EXPECT_EQ(sent, requests);
  EXPECT_EQ(slots, level.concurrency());
  EXPECT_EQ(level.measured().sent(), requests);
  EXPECT_EQ(level.measured().ok(), requests);
}

std::vector<std::string> Records(const std::string& folder, int concurrency) {
  const std::string text = ReadFile(absl::StrCat(folder, "/concurrency_", concurrency, "/profile_export.jsonl"));
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

const v1::MetricStatistics& Metric(const v1::LevelResult& level, const std::string& tag) {
  static const v1::MetricStatistics none;
  for (const v1::MetricStatistics& metric : level.metrics()) {
    if (metric.tag() == tag) return metric;
  }
  ADD_FAILURE() << "the level has no metric " << tag;
  return none;
}

double QuantileOf(const v1::MetricStatistics& metric, double p) {
  for (const v1::Quantile& quantile : metric.quantiles()) {
    if (std::abs(quantile.p() - p) < 1e-9) return quantile.value();
  }
  ADD_FAILURE() << metric.tag() << " has no quantile " << p;
  return std::nan("");
}

std::string WhyNotValid(const v1::LevelResult& level) {
  if (level.validity() == v1::VALID) return "";
  std::string why = absl::StrCat("concurrency ", level.concurrency(), " is ", v1::Validity_Name(level.validity()));
  for (const v1::ValidityCheck& check : level.validity_checks()) {
    if (check.state() == v1::VALID) continue;
    absl::StrAppend(&why, "; ", check.measure(), " of ", check.agent(), " is ", check.value());
  }
  return why;
}

}  // namespace tidemark::testing
