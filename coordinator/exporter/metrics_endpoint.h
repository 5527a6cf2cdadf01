#ifndef TIDEMARK_COORDINATOR_EXPORTER_METRICS_ENDPOINT_H_
#define TIDEMARK_COORDINATOR_EXPORTER_METRICS_ENDPOINT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/http_server/http_server.h"
#include "coordinator/exporter/coordinator_metrics.h"

namespace tidemark {

// Serves the coordinator's /metrics, /healthz and /readyz (common/exposition/monitoring_routes.h), in the daemon and
// in `tidemark sweep --http`. `metrics`, `clock` and what `why_not_ready` uses must outlive the server; that function
// is called on the server's threads and gives the reason why no job can be taken (empty: ready). Errors: as
// HttpServer::Start.
absl::StatusOr<std::unique_ptr<HttpServer>> StartMetricsEndpoint(HttpServerOptions options,
                                                                 const CoordinatorMetrics* metrics,
                                                                 std::function<std::string()> why_not_ready,
                                                                 const Clock* clock);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_EXPORTER_METRICS_ENDPOINT_H_
