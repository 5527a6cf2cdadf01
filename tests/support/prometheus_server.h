#ifndef TIDEMARK_TESTS_SUPPORT_PROMETHEUS_SERVER_H_
#define TIDEMARK_TESTS_SUPPORT_PROMETHEUS_SERVER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/json/json.h"
#include "tests/support/process.h"

namespace tidemark::testing {

// PEM files with which a scrape shows itself, and whom it trusts.
struct ScrapeTls {
  std::string ca, cert, key;
  bool skip_verify = false;  // of the server's name
};

struct ScrapeTarget {
  std::string address;           // host:port
  std::optional<ScrapeTls> tls = {};  // nothing: http
};

// A real Prometheus (Debian's) that scrapes addresses of this host four times a second into a folder of its own.
// Every wait is bounded. Spawn before the test has threads.
class PrometheusServer {
 public:
  static bool Installed();

  // `targets`: by Prometheus's job name.
  explicit PrometheusServer(const std::map<std::string, ScrapeTarget>& targets);

  // The answer's `data`.`result` of an instant query; a test failure when Prometheus refuses it.
  Json Query(const std::string& promql) const;
  // How many series the result has.
  size_t Series(const std::string& promql) const;
  // Of the first series of the result; NaN when there is none.
  double Value(const std::string& promql) const;
  // True as soon as the query has a result; false after 20 s.
  bool WaitFor(const std::string& promql) const;

 private:
  TemporaryFolder folder_;
  int port_;
  std::unique_ptr<Process> process_;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_PROMETHEUS_SERVER_H_
