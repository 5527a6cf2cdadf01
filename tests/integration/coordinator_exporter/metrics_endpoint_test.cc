#include "coordinator/exporter/metrics_endpoint.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "common/http_client/http_client.h"
#include "tests/support/exposition.h"

namespace tidemark {
namespace {

class MetricsEndpoint : public ::testing::Test {
 protected:
  MetricsEndpoint() {
    HttpServerOptions options;
    options.listen = "127.0.0.1:0";
    auto server = StartMetricsEndpoint(
        options, &metrics_, [this] { return std::string(ready_ ? "" : "the store is not open yet"); }, &RealClock());
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  HttpResponse Get(const std::string& path) const {
    HttpOptions options;
    options.total_timeout_ms = 5'000;
    const auto response = HttpGet(absl::StrCat("http://", server_->address(), path), {}, options);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : HttpResponse();
  }

  CoordinatorMetrics metrics_{"1.2.3"};
  std::atomic<bool> ready_ = true;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(MetricsEndpoint, ServesThePageAsPrometheusAsksForIt) {
  const HttpResponse response = Get("/metrics");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.Header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(testing::ParseExposition(response.body).Sum("tidemark_coordinator_build_info"), 1);
}

TEST_F(MetricsEndpoint, ServesThePageOfTheMoment) {
  metrics_.StartJob("j1", "chat");
  EXPECT_EQ(testing::ParseExposition(Get("/metrics").body).Sum("tidemark_job_info", {{"job_id", "j1"}}), 1);
}

TEST_F(MetricsEndpoint, IsHealthyAlsoWhileNotReady) {
  ready_ = false;
  EXPECT_EQ(Get("/healthz").status, 200);
}

TEST_F(MetricsEndpoint, SaysWhyItIsNotReady) {
  EXPECT_EQ(Get("/readyz").status, 200);
  ready_ = false;
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/readyz").body, "the store is not open yet\n");
}

}  // namespace
}  // namespace tidemark
