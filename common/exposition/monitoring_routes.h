#ifndef TIDEMARK_COMMON_EXPOSITION_MONITORING_ROUTES_H_
#define TIDEMARK_COMMON_EXPOSITION_MONITORING_ROUTES_H_

#include <functional>
#include <string>
#include <vector>

#include "common/http_server/http_server.h"

namespace tidemark {

// What monitors ask every daemon for:
//   /healthz  open     200 while the process answers at all
//   /readyz   open     200, or 503 with the reason that `why_not_ready` gives (empty: ready)
//   /metrics  guarded  what `metrics` gives, Prometheus's text
// Both functions are called on the server's threads, several at a time.
std::vector<HttpRoute> MonitoringRoutes(std::function<std::string()> metrics,
                                        std::function<std::string()> why_not_ready);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_EXPOSITION_MONITORING_ROUTES_H_
