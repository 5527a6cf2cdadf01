// A real Prometheus scrapes both exporters over our HTTP server, and answers what docs and dashboard ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agent/exporter/agent_metrics.h"
#include "common/exposition/monitoring_routes.h"
#include "coordinator/exporter/metrics_endpoint.h"
#include "tests/support/prometheus_server.h"
#include "tests/support/coordinator_page.h"
#include "tests/support/exported_bucket.h"

namespace tidemark {
namespace {

using testing::PrometheusServer;

std::string Ready() { return ""; }

HttpServerOptions At(int port) {
  HttpServerOptions options;
  options.listen = absl::StrCat("127.0.0.1:", port);
  return options;
}

// One Prometheus for all tests. It is spawned before the servers' threads, so their ports are chosen first.
class Prometheus : public ::testing::Test {
 protected:
  struct World {
    World()
        : coordinator_port(testing::FreePort()),
          agent_port(testing::FreePort()),
          prometheus({{"coordinator", {absl::StrCat("127.0.0.1:", coordinator_port)}},
                      {"agent", {absl::StrCat("127.0.0.1:", agent_port)}}}) {
      testing::FillCoordinatorMetrics(coordinator);
      auto coordinator_started =
          StartMetricsEndpoint(At(coordinator_port), &coordinator, &Ready, &RealClock());
      auto agent_started = HttpServer::Start(
          At(agent_port), MonitoringRoutes([this] { return agent.Text(); }, &Ready), &RealClock());
      if (coordinator_started.ok()) coordinator_server = *std::move(coordinator_started);
      if (agent_started.ok()) agent_server = *std::move(agent_started);
    }

    int coordinator_port, agent_port;
    PrometheusServer prometheus;
    CoordinatorMetrics coordinator{"1.0.0"};
    AgentMetrics agent{{"1.0.0", "agent-0", 500, "", 1'000'000}, &RealClock()};
    std::unique_ptr<HttpServer> coordinator_server, agent_server;
  };

  static void SetUpTestSuite() {
    if (PrometheusServer::Installed()) world_ = new World();
  }
  static void TearDownTestSuite() { delete world_; }

  void SetUp() override {
    if (world_ == nullptr) GTEST_SKIP() << "no Prometheus: install the package prometheus";
    ASSERT_NE(world_->coordinator_server, nullptr);
    ASSERT_NE(world_->agent_server, nullptr);
    ASSERT_TRUE(server().WaitFor("rate(process_cpu_seconds_total[2s]) and on () rate(tidemark_requests_total[2s])"));
  }
  static const PrometheusServer& server() { return world_->prometheus; }

  static World* world_;
};

Prometheus::World* Prometheus::world_ = nullptr;

TEST_F(Prometheus, FindsBothTargetsUp) {
  EXPECT_EQ(server().Value("up{job=\"coordinator\"}"), 1);
  EXPECT_EQ(server().Value("up{job=\"agent\"}"), 1);
}

TEST_F(Prometheus, SeesTheFacts) {
  EXPECT_EQ(server().Value(R"(tidemark_requests_total{level="1", phase="measure", outcome="ok"})"), 1'000);
  EXPECT_EQ(server().Value("tidemark_agent_capacity_requests"), 500);
}

TEST_F(Prometheus, ComputesTheQuantilesOfTheResultToABucket) {
  const MeasuredFacts facts = testing::FactsOfRunningLevel();
  const std::map<std::string, Metric> families = {
      {"tidemark_time_to_first_token_seconds", Metric::kTimeToFirstToken},
      {"tidemark_inter_token_latency_seconds", Metric::kInterTokenLatency},
      {"tidemark_request_latency_seconds", Metric::kRequestLatency}};
  for (const auto& [family, metric] : families) {
    for (const double p : {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999}) {
      const testing::ExportedBucket bucket =
          testing::BucketOfQuantile(facts.histogram(metric), p, metric == Metric::kInterTokenLatency);
      const double computed = server().Value(absl::StrCat(
          "histogram_quantile(", p, ", sum by (le) (", family, "_bucket{level=\"1\", phase=\"measure\"}))"));
      EXPECT_GE(computed, bucket.above) << family << " p" << p;
      EXPECT_LE(computed, bucket.upto) << family << " p" << p;
    }
  }
}

TEST_F(Prometheus, KeepsSumsAndCountsExact) {
  EXPECT_EQ(server().Value("tidemark_request_latency_seconds_count{level=\"1\"}"), 1'000);
  EXPECT_DOUBLE_EQ(server().Value("tidemark_request_latency_seconds_sum{level=\"1\"}"), 2'251.25);
}

// As Grafana would ask.
std::string Resolved(const std::string& query) {
  return absl::StrReplaceAll(query, {{"$__rate_interval", "2s"}, {"$job", "job-7"}});
}

void CollectPanels(const Json& json, std::vector<std::pair<std::string, std::string>>& out) {
  for (const Json& panel : json.Find("panels")->Items()) {
    const Json* const targets = panel.Find("targets");
    if (targets == nullptr) continue;
    for (const Json& target : targets->Items()) {
      out.emplace_back(*panel.Find("title")->AsString(), *target.Find("expr")->AsString());
    }
  }
}

TEST_F(Prometheus, AnswersEveryPanelOfTheDashboard) {
  const absl::StatusOr<Json> dashboard = ParseJson(
      testing::ReadFile(TIDEMARK_SOURCE_DIR "/deploy/grafana/tidemark-live.json"), "tidemark-live.json");
  ASSERT_TRUE(dashboard.ok()) << dashboard.status();
  std::vector<std::pair<std::string, std::string>> panels;
  CollectPanels(*dashboard, panels);
  EXPECT_GT(panels.size(), 20u);
  for (const auto& [title, query] : panels) {
    EXPECT_GT(server().Series(Resolved(query)), 0u) << title << ": " << query;
  }
}

TEST_F(Prometheus, UnderstandsTheQuestionsOfThePage) {
  const std::string page = testing::ReadFile(TIDEMARK_SOURCE_DIR "/docs/prometheus.md");
  const std::regex block("```promql\n([^`]+)```");
  int found = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), block), end; it != end; ++it, ++found) {
    EXPECT_TRUE(server().Query((*it)[1]).IsArray()) << (*it)[1];
  }
  EXPECT_GE(found, 7);
}

TEST_F(Prometheus, ForgetsAVoidAttemptAtTheNextScrape) {
  CoordinatorMetrics& metrics = world_->coordinator;
  const MeasuredFacts facts = testing::FactsOfRunningLevel();
  LevelSnapshot level;
  level.key = {"job-7", 2, 1};
  level.concurrency = 32;
  level.facts = &facts;
  metrics.SetLevel(level);
  const std::string first = R"(tidemark_requests_total{level="2", attempt="1"})";
  ASSERT_TRUE(server().WaitFor(first));
  metrics.DropLevel(level.key);
  level.key.attempt = 2;
  level.facts = nullptr;
  metrics.SetLevel(level);
  EXPECT_TRUE(testing::Eventually(20'000, [&] { return server().Series(first) == 0; }));
  EXPECT_EQ(server().Series(R"(tidemark_request_latency_seconds_count{level="2"})"), 0u);
}

}  // namespace
}  // namespace tidemark
