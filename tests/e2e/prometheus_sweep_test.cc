// A real Prometheus looks on while a real sweep runs: what it keeps of a finished level is what result.json says.
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "common/measurement/histogram.h"
#include "coordinator/report/level_view.h"
#include "tests/e2e/sweep_run.h"
#include "tests/support/exported_bucket.h"
#include "tests/support/prometheus_server.h"

namespace tidemark::testing {
namespace {

// The last that was scraped of level 0, the process being gone.
std::string LastOf(const std::string& metric, const std::string& labels = "") {
  return absl::StrCat("last_over_time(", metric, "{level=\"0\"", labels, "}[10m])");
}

class PrometheusSweep : public ::testing::Test {
 protected:
  // Level 1 runs for some scrapes after level 0 is over.
  PrometheusSweep() {
    if (!PrometheusServer::Installed()) return;
    const int port = FreePort();
    prometheus_ = std::make_unique<PrometheusServer>(
        std::map<std::string, ScrapeTarget>{{"tidemark", {absl::StrCat("127.0.0.1:", port)}}});
    EXPECT_TRUE(prometheus_->WaitFor("up")) << "it looks already before anybody serves";
    Process sweep(SweepOptions({"--url", simulator_.url(), "--concurrency", "8,4", "--request-count", "80", "--isl",
                                "16", "--osl", "8", "--http", absl::StrCat("127.0.0.1:", port), "--output-dir",
                                home_.File("result"), "--e2e-sla-ms", "60000"}));
    judged_ = prometheus_->WaitFor("tidemark_level_verdict_info{level=\"0\"}");
    const std::optional<int> code = sweep.Wait(60'000);
    EXPECT_TRUE(code && Ran(*code)) << sweep.out() << sweep.err();
    level_ = LevelOf(ReadResult(home_.File("result")), 8);
  }

  void SetUp() override {
    if (prometheus_ == nullptr) GTEST_SKIP() << "no Prometheus: install the package prometheus";
    ASSERT_TRUE(judged_) << "the verdict of level 0 was never scraped";
  }

  double Last(const std::string& metric, const std::string& labels) const {
    return prometheus_->Value(LastOf(metric, labels));
  }

  const SimulatorProcess simulator_{{"--delay-ms", "100", "--itl-ms", "30"}};
  const TemporaryFolder home_;
  std::unique_ptr<PrometheusServer> prometheus_;
  bool judged_ = false;
  v1::LevelResult level_;
};

TEST_F(PrometheusSweep, KeepsWhatTheResultSaysOfAFinishedLevel) {
  const v1::OutcomeCounts& measured = level_.measured();
  EXPECT_EQ(Last("tidemark_requests_total", R"(, phase="measure", outcome="ok")"), static_cast<double>(measured.ok()));
  EXPECT_EQ(Last("tidemark_requests_total", R"(, phase="measure", outcome="failed")"),
            static_cast<double>(measured.failed()));
  EXPECT_EQ(Last("tidemark_requests_total", R"(, phase="unmeasured", outcome="ok")"),
            static_cast<double>(level_.unmeasured().ok()));
  EXPECT_EQ(Last("tidemark_output_tokens_total", R"(, phase="measure")"),
            static_cast<double>(level_.total_output_tokens()));
  const std::string verdict = absl::StrCat(", verdict=\"", std::string(VerdictName(level_.verdict())), "\", validity=\"",
                                           std::string(ValidityName(level_.validity())), "\"");
  EXPECT_EQ(Last("tidemark_level_verdict_info", verdict), 1) << verdict;

  // The level's phases went by while it looked on.
  EXPECT_EQ(prometheus_->Value(R"(max_over_time(tidemark_level_phase{phase="measuring"}[10m]))"), 1);
  EXPECT_EQ(prometheus_->Value("max_over_time(tidemark_target_concurrency[10m])"), 8);
  EXPECT_EQ(prometheus_->Value("max_over_time(tidemark_in_flight_requests[10m])"), 8);

  // And the quantiles, to a bucket.
  const std::map<std::string, std::string> families = {
      {"tidemark_time_to_first_token_seconds", "time_to_first_token"},
      {"tidemark_inter_token_latency_seconds", "inter_token_latency"},
      {"tidemark_request_latency_seconds", "request_latency"}};
  for (const auto& [family, tag] : families) {
    const v1::MetricStatistics* const metric = FindMetric(level_, tag);
    ASSERT_NE(metric, nullptr) << tag;
    const absl::StatusOr<Histogram> histogram = Histogram::Decode(metric->histogram());
    ASSERT_TRUE(histogram.ok()) << histogram.status();
    for (const double p : {0.05, 0.5, 0.9, 0.95, 0.99}) {
      const ExportedBucket bucket = BucketOfQuantile(*histogram, p, tag == "inter_token_latency");
      const double computed = prometheus_->Value(absl::StrCat(
          "histogram_quantile(", p, ", sum by (le) (", LastOf(family + "_bucket", R"(, phase="measure")"), "))"));
      EXPECT_GE(computed, bucket.above) << family << " p" << p;
      EXPECT_LE(computed, bucket.upto) << family << " p" << p;
    }
  }
}

}  // namespace
}  // namespace tidemark::testing
