// docs/prometheus.md promises that its tables are what the exporters emit, and the dashboard may ask for nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/exporter/agent_families.h"
#include "agent/exporter/agent_metrics.h"
#include "common/json/json.h"
#include "coordinator/exporter/coordinator_families.h"
#include "tests/support/coordinator_page.h"
#include "tests/support/exposition.h"
#include "tests/support/fake_clock.h"

namespace tidemark {
namespace {

std::string Read(const std::string& path) {
  std::ifstream in(std::string(TIDEMARK_SOURCE_DIR "/") + path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The rows of the table under the heading "## `heading`", without back-quotes.
std::vector<std::string> PageRows(const std::string& heading) {
  std::ifstream page(TIDEMARK_SOURCE_DIR "/docs/prometheus.md");
  std::vector<std::string> rows;
  bool in_section = false;
  for (std::string line; std::getline(page, line);) {
    if (absl::StartsWith(line, "#")) in_section = line == "## " + heading;
    if (!in_section || !absl::StartsWith(line, "| `")) continue;
    line.erase(std::remove(line.begin(), line.end(), '`'), line.end());
    rows.push_back(line);
  }
  return rows;
}

std::string TypeName(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter: return "counter";
    case MetricKind::kGauge: return "gauge";
    case MetricKind::kHistogram: return "histogram";
  }
  return "";
}

std::string Row(const MetricFamily& family) {
  const std::string labels = family.labels.empty() ? "none" : absl::StrJoin(family.labels, ", ");
  return absl::StrCat("| ", family.name, " | ", TypeName(family.kind), " | ", family.unit, " | ", labels, " | ",
                      family.help, " |");
}

std::vector<std::string> Rows(absl::Span<const MetricFamily> families) {
  std::vector<std::string> rows;
  for (const MetricFamily& family : families) rows.push_back(Row(family));
  return rows;
}

testing::Exposition CoordinatorExposition() {
  CoordinatorMetrics metrics("1.0.0");
  testing::FillCoordinatorMetrics(metrics);
  return testing::ParseExposition(metrics.Text());
}

testing::Exposition AgentExposition() {
  const FakeClock clock;
  return testing::ParseExposition(AgentMetrics(AgentMetricsOptions(), &clock).Text());
}

// Name, type and help of each family as it stands on the wire.
std::vector<std::string> Exposed(const testing::Exposition& page) {
  std::vector<std::string> out;
  for (const testing::ExposedFamily& family : page.families) {
    out.push_back(absl::StrCat(family.name, " ", family.type, " ", family.help));
  }
  return out;
}

std::vector<std::string> Promised(absl::Span<const MetricFamily> families) {
  std::vector<std::string> out;
  for (const MetricFamily& family : families) {
    out.push_back(absl::StrCat(family.name, " ", TypeName(family.kind), " ", family.help));
  }
  return out;
}

// Of the samples of a family, without what its type adds.
std::set<std::string> LabelsOf(const testing::Exposition& page, absl::string_view family) {
  std::set<std::string> names;
  for (const testing::ExposedSample& sample : page.samples) {
    const bool of_it = sample.name == family || sample.name == absl::StrCat(family, "_bucket");
    if (!of_it) continue;
    for (const auto& [name, value] : sample.labels) names.insert(name);
  }
  names.erase("le");
  return names;
}

TEST(PrometheusPage, HasTheCoordinatorsFamilies) { EXPECT_EQ(PageRows("Coordinator"), Rows(CoordinatorFamilies())); }

TEST(PrometheusPage, HasTheAgentsFamilies) { EXPECT_EQ(PageRows("Agent"), Rows(AgentFamilies())); }

TEST(Exporters, EmitTheFamiliesOfTheirTables) {
  EXPECT_EQ(Exposed(CoordinatorExposition()), Promised(CoordinatorFamilies()));
  EXPECT_EQ(Exposed(AgentExposition()), Promised(AgentFamilies()));
}

TEST(Exporters, EmitTheLabelsOfTheirTables) {
  const testing::Exposition page = CoordinatorExposition();
  for (const MetricFamily& family : CoordinatorFamilies()) {
    const std::set<std::string> labels(family.labels.begin(), family.labels.end());
    EXPECT_EQ(LabelsOf(page, family.name), labels) << family.name;
  }
}

TEST(Exporters, NameTheirUnitsAsPrometheusDoes) {
  std::vector<MetricFamily> all(CoordinatorFamilies().begin(), CoordinatorFamilies().end());
  all.insert(all.end(), AgentFamilies().begin(), AgentFamilies().end());
  for (const MetricFamily& family : all) {
    const bool total = absl::EndsWith(family.name, "_total");
    EXPECT_EQ(total, family.kind == MetricKind::kCounter) << family.name;
    if (family.unit != "seconds" && family.unit != "bytes") continue;
    EXPECT_TRUE(absl::EndsWith(family.name, absl::StrCat("_", family.unit, total ? "_total" : ""))) << family.name;
  }
}

// ---- The dashboard --------------------------------------------------------------------------------

// Every "expr" and every variable's query.
void CollectQueries(const Json& json, std::vector<std::string>& out) {
  for (const Json& item : json.Items()) CollectQueries(item, out);
  for (const auto& [name, value] : json.Members()) {
    if ((name == "expr" || name == "query") && value.AsString() != nullptr) out.push_back(*value.AsString());
    CollectQueries(value, out);
  }
}

// The metrics that a query names, histograms by their family.
std::set<std::string> MetricsIn(const std::string& query) {
  static const std::regex kMetric(R"re(\b(tidemark|process)_\w+)re");
  static const std::regex kPart("_(bucket|sum|count)$");
  std::set<std::string> names;
  for (std::sregex_iterator it(query.begin(), query.end(), kMetric), end; it != end; ++it) {
    names.insert(std::regex_replace(it->str(), kPart, ""));
  }
  return names;
}

std::set<std::string> Known() {
  std::set<std::string> names;
  for (const auto& families : {CoordinatorFamilies(), AgentFamilies()}) {
    for (const MetricFamily& family : families) names.insert(std::string(family.name));
  }
  return names;
}

std::set<std::string> Unknown(const std::vector<std::string>& queries) {
  const std::set<std::string> known = Known();
  std::set<std::string> unknown;
  for (const std::string& query : queries) {
    for (const std::string& name : MetricsIn(query)) {
      if (known.count(name) == 0) unknown.insert(name);
    }
  }
  return unknown;
}

TEST(Dashboard, AsksForFamiliesThatExist) {
  const absl::StatusOr<Json> dashboard = ParseJson(Read("deploy/grafana/tidemark-live.json"), "tidemark-live.json");
  ASSERT_TRUE(dashboard.ok()) << dashboard.status();
  std::vector<std::string> queries;
  CollectQueries(*dashboard, queries);
  EXPECT_GT(queries.size(), 15u);
  EXPECT_EQ(Unknown(queries), std::set<std::string>());
}

TEST(Dashboard, WouldBeFoundOutOtherwise) {
  EXPECT_EQ(Unknown({"sum(rate(tidemark_no_such_total[1m]))"}), std::set<std::string>{"tidemark_no_such_total"});
}

TEST(PrometheusPage, HasExamplesOfFamiliesThatExist) { EXPECT_EQ(Unknown({Read("docs/prometheus.md")}), std::set<std::string>()); }

}  // namespace
}  // namespace tidemark
