#include "tests/support/simulator_process.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "tests/integration/simulator/plain_http.h"

namespace tidemark::testing {
namespace {

constexpr char kListening[] = "listening on ";
constexpr int64_t kStartMs = 10'000;
constexpr int kReadMs = 5'000;

ProcessOptions Options(const std::vector<std::string>& flags, int port, const std::string& ip) {
  ProcessOptions options;
  options.arguments = {TIDEMARK_BIN_DIR "/tidemark-sim", "--listen",
                       absl::StrCat(ip, ":", port)};
  options.arguments.insert(options.arguments.end(), flags.begin(), flags.end());
  return options;
}

}  // namespace

SimulatorProcess::SimulatorProcess(const std::vector<std::string>& flags, int port, const std::string& ip)
    : ip_(ip), process_(Options(flags, port, ip)) {
  EXPECT_TRUE(process_.WaitForText(kListening, kStartMs)) << process_.err();
  const std::string line = process_.out();
  const size_t begin = line.find(kListening);
  if (begin == std::string::npos) return;
  url_ = line.substr(begin + sizeof(kListening) - 1);
  url_ = url_.substr(0, url_.find_first_of(" \n"));
  port_ = std::atoi(url_.c_str() + url_.rfind(':') + 1);
}

Json SimulatorProcess::Stats() const {
  const absl::StatusOr<Json> stats =
      ParseJson(PlainHttp(port_, kReadMs, ip_.c_str()).Get("/simulator/stats").body(), "simulator statistics");
  EXPECT_TRUE(stats.ok()) << stats.status();
  return stats.ok() ? *stats : Json();
}

int64_t SimulatorProcess::Stat(const std::string& name) const {
  const Json stats = Stats();
  const size_t dot = name.find('.');
  const Json* value = stats.Find(name.substr(0, dot));
  if (value == nullptr) return -1;
  if (dot == std::string::npos) return value->AsInt64().value_or(-1);
  value = value->Find(name.substr(dot + 1));
  return value == nullptr ? 0 : value->AsInt64().value_or(-1);
}

int64_t SimulatorProcess::Posts() const {
  return Stat("paths./v1/chat/completions") + Stat("paths./v1/completions");
}

void SimulatorProcess::ResetStats() const {
  EXPECT_EQ(PlainHttp(port_, kReadMs, ip_.c_str()).Post("/simulator/stats/reset", "").status, 200);
}

}  // namespace tidemark::testing
