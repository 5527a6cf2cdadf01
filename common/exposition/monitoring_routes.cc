#include "common/exposition/monitoring_routes.h"

#include <utility>

#include "common/exposition/metric_page.h"

namespace tidemark {
namespace {

HttpAnswer Line(int status, const std::string& text) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = text + "\n";
  return answer;
}

}  // namespace

std::vector<HttpRoute> MonitoringRoutes(std::function<std::string()> metrics,
                                        std::function<std::string()> why_not_ready) {
  const auto page = [metrics = std::move(metrics)] { return HttpAnswer{200, kMetricPageType, metrics()}; };
  const auto ready = [why_not_ready = std::move(why_not_ready)] {
    const std::string reason = why_not_ready();
    return reason.empty() ? Line(200, "ready") : Line(503, reason);
  };
  return {{"/healthz", HttpAccess::kOpen, [] { return Line(200, "alive"); }},
          {"/readyz", HttpAccess::kOpen, ready},
          {"/metrics", HttpAccess::kGuarded, page}};
}

}  // namespace tidemark
