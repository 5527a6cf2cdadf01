// `tidemark sweep --http`: the live run as Prometheus sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/http_client/http_client.h"
#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

using ::testing::HasSubstr;

// The port that "metrics: http://127.0.0.1:PORT/metrics" names; 0 when it is not said.
int MetricsPort(const std::string& said) {
  const std::string before = "metrics: http://127.0.0.1:";
  const size_t at = said.find(before);
  return at == std::string::npos ? 0 : std::stoi(said.substr(at + before.size()));
}

HttpResponse Get(int port, const std::string& path) {
  HttpOptions options;
  options.total_timeout_ms = 5'000;
  const absl::StatusOr<HttpResponse> response = HttpGet(absl::StrCat("http://127.0.0.1:", port, path), {}, options);
  return response.ok() ? *response : HttpResponse();
}

TEST(MetricsPage, ShowsTheLevelThatRuns) {
  const SimulatorProcess simulator({"--delay-ms", "100", "--itl-ms", "30"});
  const TemporaryFolder home;
  Process sweep(SweepOptions({"--url", simulator.url(), "--concurrency", "4", "--request-count", "60", "--isl", "16",
                              "--osl", "8", "--http", "127.0.0.1:0", "--output-dir", home.File("result")}));
  ASSERT_TRUE(sweep.WaitForText("/metrics", 20'000)) << sweep.err();
  const int port = MetricsPort(sweep.err());
  std::string page;
  EXPECT_TRUE(Eventually(10'000, [&] {
    page = Get(port, "/metrics").body;
    return page.find("tidemark_target_concurrency") != std::string::npos &&
           page.find("phase=\"measure\"") != std::string::npos;
  })) << page;
  EXPECT_EQ(Get(port, "/healthz").status, 200);
  EXPECT_TRUE(sweep.Wait(20'000).has_value());
}

TEST(MetricsPage, AnAddressThatIsNoneIsRefusedByItsName) {
  const ProcessEnd end = RunToEnd(SweepOptions({"--http", "nonsense", "--output-dir", TemporaryFolder().File("r")}), 20'000);
  EXPECT_NE(end.code, 0);
  EXPECT_THAT(end.err, HasSubstr("http is nonsense"));
}

}  // namespace
}  // namespace tidemark::testing
