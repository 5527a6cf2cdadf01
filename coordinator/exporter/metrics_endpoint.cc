#include "coordinator/exporter/metrics_endpoint.h"

#include <utility>

#include "common/exposition/monitoring_routes.h"

namespace tidemark {

absl::StatusOr<std::unique_ptr<HttpServer>> StartMetricsEndpoint(HttpServerOptions options,
                                                                 const CoordinatorMetrics* metrics,
                                                                 std::function<std::string()> why_not_ready,
                                                                 const Clock* clock) {
  return HttpServer::Start(std::move(options),
                           MonitoringRoutes([metrics] { return metrics->Text(); }, std::move(why_not_ready)), clock);
}

}  // namespace tidemark
