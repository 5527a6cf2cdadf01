// A real Prometheus scrapes a coordinator and two agents over mutual TLS while they run a job.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/benchmark_client.h"
#include "common/http_client/http_client.h"
#include "common/measurement/histogram.h"
#include "tests/support/cluster_certificates.h"
#include "tests/support/daemon_process.h"
#include "tests/support/exported_bucket.h"
#include "tests/support/prometheus_server.h"
#include "tests/support/simulator_process.h"

namespace tidemark::testing {
namespace {

constexpr char kJob[] = "\nconcurrency: [6, 3]\nrequest_count: 60\nisl: 16\nosl: 8\ne2e_sla_ms: 60000\n";

ProcessEnd CheckMetrics(const std::string& page) {
  ProcessOptions options;
  options.arguments = {"/usr/bin/promtool", "check", "metrics"};
  options.input = page;
  return RunToEnd(options, 20'000);
}

// Everything that is a process stands before gRPC's threads do.
class PrometheusCluster : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PrometheusServer::Installed()) GTEST_SKIP() << "no Prometheus: install the package prometheus";
    coordinator_ = Start("tidemark-coordinator", "coordinator", {"--data-dir=" + folder_.File("data")});
    for (const char* id : {"a1", "a2"}) {
      agents_.push_back(Start("tidemark-agent", "agent",
                              {absl::StrCat("--id=", id), "--coordinator=" + coordinator_->Address("grpc"),
                               "--spool-dir=" + folder_.File(id)}));
    }
    prometheus_ = std::make_unique<PrometheusServer>(std::map<std::string, ScrapeTarget>{
        {"coordinator", Target(*coordinator_, false)}, {"a1", Target(*agents_[0], true)}, {"a2", Target(*agents_[1], true)}});
    ASSERT_TRUE(prometheus_->WaitFor("sum(up) == 3"));
    ASSERT_TRUE(prometheus_->WaitFor("tidemark_agents{state=\"idle\"} == 2"));
  }

  std::unique_ptr<DaemonProcess> Start(const std::string& program, const std::string& certificate, Flags flags) {
    const Flags tls = TlsFlags(certificates_.Of(certificate));
    flags.insert(flags.end(), tls.begin(), tls.end());
    return std::make_unique<DaemonProcess>(program, flags);
  }

  // An agent's certificate names no host.
  ScrapeTarget Target(DaemonProcess& daemon, bool agent) const {
    const TlsFiles own = certificates_.Of("client");
    return {daemon.Address("http"), ScrapeTls{own.ca, own.cert, own.key, agent}};
  }

  // With the client's certificate, or without.
  HttpResponse Page(DaemonProcess& daemon, bool shown) const {
    HttpOptions options;
    const TlsFiles own = certificates_.Of("client");
    options.ca_cert = own.ca;
    options.insecure_skip_verify = true;
    if (shown) options.client_cert = own.cert;
    if (shown) options.client_key = own.key;
    const auto response = HttpGet("https://" + daemon.Address("http") + "/metrics", {}, options);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : HttpResponse();
  }

  v1::Result RunJob() {
    Connection connection;
    connection.coordinator = coordinator_->Address("grpc");
    const TlsFiles own = certificates_.Of("client");
    connection.tls_cert = own.cert;
    connection.tls_key = own.key;
    connection.tls_ca = own.ca;
    const auto client = BenchmarkClient::Create(connection, &RealClock());
    EXPECT_TRUE(client.ok()) << client.status();
    if (!client.ok()) return {};
    v1::CreateJobRequest request;
    request.set_client_request_id("prometheus");
    request.set_job_yaml(absl::StrCat("endpoint: {url: '", simulator_.url(), "'}", kJob));
    const auto job = (*client)->CreateJob(request);
    EXPECT_TRUE(job.ok()) << job.status();
    if (!job.ok()) return {};
    Cancellation never;
    const auto ended = (*client)->WatchJob(job->id(), {}, &never);
    EXPECT_TRUE(ended.ok() && ended->state() == v1::COMPLETED) << ended.status() << coordinator_->log();
    const auto result = (*client)->GetResult(job->id());
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : v1::Result();
  }

  void ExpectQuantilesOf(const v1::LevelResult& level, const std::string& tag, const std::string& family) const {
    for (const v1::MetricStatistics& metric : level.metrics()) {
      if (metric.tag() != tag) continue;
      const absl::StatusOr<Histogram> histogram = Histogram::Decode(metric.histogram());
      ASSERT_TRUE(histogram.ok()) << histogram.status();
      for (const double p : {0.05, 0.5, 0.95, 0.99}) {
        const ExportedBucket bucket = BucketOfQuantile(*histogram, p, tag == "inter_token_latency");
        const double computed = prometheus_->Value(absl::StrCat("histogram_quantile(", p, ", sum by (le) (", family,
                                                                "_bucket{level=\"", level.level(), "\", phase=\"measure\"}))"));
        EXPECT_GE(computed, bucket.above) << family << " p" << p;
        EXPECT_LE(computed, bucket.upto) << family << " p" << p;
      }
    }
  }

  const SimulatorProcess simulator_{{"--delay-ms", "100", "--itl-ms", "20"}};
  const TemporaryFolder folder_;
  const ClusterCertificates certificates_;
  std::unique_ptr<DaemonProcess> coordinator_;
  std::vector<std::unique_ptr<DaemonProcess>> agents_;
  std::unique_ptr<PrometheusServer> prometheus_;
};

TEST_F(PrometheusCluster, SeesTheJobAsTheResultTellsIt) {
  const v1::Result result = RunJob();
  ASSERT_EQ(result.levels_size(), 2);
  ASSERT_TRUE(prometheus_->WaitFor("tidemark_jobs_ended_total{state=\"completed\"} == 1"));
  double ok = 0;
  for (const v1::LevelResult& level : result.levels()) {
    const std::string labels = absl::StrCat("{level=\"", level.level(), "\", phase=\"measure\", outcome=\"ok\"}");
    EXPECT_EQ(prometheus_->Value("tidemark_requests_total" + labels), static_cast<double>(level.measured().ok()));
    ok += static_cast<double>(level.measured().ok());
    ExpectQuantilesOf(level, "time_to_first_token", "tidemark_time_to_first_token_seconds");
    ExpectQuantilesOf(level, "inter_token_latency", "tidemark_inter_token_latency_seconds");
    ExpectQuantilesOf(level, "request_latency", "tidemark_request_latency_seconds");
  }
  EXPECT_EQ(prometheus_->Series("tidemark_level_verdict_info"), 2u);
  EXPECT_EQ(prometheus_->Value("max_over_time(tidemark_target_concurrency[10m])"), 6);

  // The agents by themselves.
  EXPECT_TRUE(prometheus_->WaitFor(
      absl::StrCat("sum(tidemark_agent_requests_total{phase=\"measure\", outcome=\"ok\"}) == ", ok)));
  EXPECT_EQ(prometheus_->Value("sum(tidemark_agent_connected)"), 2);
  EXPECT_GT(prometheus_->Value("min(tidemark_agent_lease_remaining_seconds)"), 0);
  EXPECT_EQ(prometheus_->Value("sum(max_over_time(tidemark_agent_slots[10m]))"), 6);

  // And Prometheus's own linter of what they serve.
  for (DaemonProcess* daemon : {coordinator_.get(), agents_[0].get(), agents_[1].get()}) {
    const ProcessEnd end = CheckMetrics(Page(*daemon, true).body);
    EXPECT_EQ(end.code, 0);
    EXPECT_EQ(end.out + end.err, "");
  }
}

TEST_F(PrometheusCluster, ShowsNothingToWhoHasNoCertificate) {
  for (DaemonProcess* daemon : {coordinator_.get(), agents_[0].get()}) {
    const HttpResponse refused = Page(*daemon, false);
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.body.find("tidemark_"), std::string::npos);
  }
}

}  // namespace
}  // namespace tidemark::testing
