#include "tests/support/prometheus_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/http_client/http_client.h"

namespace tidemark::testing {
namespace {

constexpr char kPrometheus[] = "/usr/bin/prometheus";
constexpr int64_t kBoundMs = 20'000;

std::string PercentEncoded(const std::string& text) {
  std::string out;
  for (const char c : text) {
    char hex[4];
    std::snprintf(hex, sizeof(hex), "%%%02X", static_cast<unsigned char>(c));
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      out += c;
    } else {
      out += hex;
    }
  }
  return out;
}

std::string Scheme(const ScrapeTarget& target) {
  if (!target.tls) return "http";
  const ScrapeTls& tls = *target.tls;
  return absl::StrCat("https, tls_config: {ca_file: ", tls.ca, ", cert_file: ", tls.cert, ", key_file: ", tls.key,
                      tls.skip_verify ? ", insecure_skip_verify: true}" : "}");
}

std::string Configuration(const std::map<std::string, ScrapeTarget>& targets) {
  std::string yaml = "global: {scrape_interval: 250ms, scrape_timeout: 200ms}\nscrape_configs:\n";
  for (const auto& [job, target] : targets) {
    absl::StrAppend(&yaml, "  - {job_name: ", job, ", scheme: ", Scheme(target), ", static_configs: [{targets: [\"",
                    target.address, "\"]}]}\n");
  }
  return yaml;
}

}  // namespace

bool PrometheusServer::Installed() { return access(kPrometheus, X_OK) == 0; }

PrometheusServer::PrometheusServer(const std::map<std::string, ScrapeTarget>& targets) : port_(FreePort()) {
  ProcessOptions options;
  options.arguments = {kPrometheus, "--config.file=" + folder_.Write("prometheus.yml", Configuration(targets)),
                       "--storage.tsdb.path=" + folder_.File("data"),
                       absl::StrCat("--web.listen-address=127.0.0.1:", port_), "--log.level=warn"};
  process_ = std::make_unique<Process>(options);
}

Json PrometheusServer::Query(const std::string& promql) const {
  HttpOptions options;
  options.total_timeout_ms = kBoundMs;
  const auto response =
      HttpGet(absl::StrCat("http://127.0.0.1:", port_, "/api/v1/query?query=", PercentEncoded(promql)), {}, options);
  EXPECT_TRUE(response.ok()) << response.status() << process_->err();
  if (!response.ok()) return {};
  EXPECT_EQ(response->status, 200) << promql << "\n" << response->body;
  const absl::StatusOr<Json> answer = ParseJson(response->body, "Prometheus's answer");
  EXPECT_TRUE(answer.ok()) << answer.status();
  const Json* const data = answer.ok() ? answer->Find("data") : nullptr;
  const Json* const result = data != nullptr ? data->Find("result") : nullptr;
  return result != nullptr ? *result : Json();
}

size_t PrometheusServer::Series(const std::string& promql) const {
  const Json result = Query(promql);
  return result.Items().size();
}

double PrometheusServer::Value(const std::string& promql) const {
  const Json result = Query(promql);
  if (result.Items().empty()) return std::numeric_limits<double>::quiet_NaN();
  const Json* const value = result.Items()[0].Find("value");
  return std::strtod(value->Items().at(1).AsString()->c_str(), nullptr);
}

bool PrometheusServer::WaitFor(const std::string& promql) const {
  // Until it listens, and has scraped often enough.
  const std::string health = absl::StrCat("http://127.0.0.1:", port_, "/-/ready");
  HttpOptions options;
  options.total_timeout_ms = 1'000;
  const bool up = Eventually(kBoundMs, [&] {
    const auto response = HttpGet(health, {}, options);
    return response.ok() && response->status == 200;
  });
  return up && Eventually(kBoundMs, [&] { return Series(promql) > 0; });
}

}  // namespace tidemark::testing
