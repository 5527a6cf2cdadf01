#include "tests/support/coordinator_page.h"

namespace tidemark::testing {

MeasuredFacts FactsOfRunningLevel() {
  MeasuredFacts facts;
  facts.measured = {1'003, 1'000, 3, 0, 0};
  facts.unmeasured = {40, 32, 0, 8, 0};
  facts.failures = {{"http_429", 2}, {"timeout_total", 1}};
  facts.output_tokens = 128'000;
  facts.input_tokens = 550'000;
  facts.sent_output_tokens = 133'000;
  facts.sent_input_tokens = 571'000;
  for (uint64_t i = 1; i <= 1'000; ++i) {
    facts.histogram(Metric::kTimeToFirstToken).Record(80'000 + i * i);
    facts.histogram(Metric::kInterTokenLatency).Record(900 + 7 * i);
    facts.histogram(Metric::kRequestLatency).Record(1'000'000 + i * 2'500);
  }
  return facts;
}

void FillCoordinatorMetrics(CoordinatorMetrics& metrics) {
  metrics.SetJobs({2, 1});
  metrics.CountJobEnd(JobEndState::kCompleted);
  metrics.SetAgents({1, 2, 1, 4'000});
  metrics.Count(CoordinatorEvent::kStaleMessage, 5);
  metrics.StartJob("job-7", "chat \"quoted\"");
  const MeasuredFacts facts = FactsOfRunningLevel();
  LevelSnapshot level;
  level.key = {"job-7", 0, 1};
  level.concurrency = 8;
  level.planned_requests = 1'003;
  level.facts = &facts;
  metrics.SetLevel(level);
  metrics.SetVerdict(level.key, 8, v1::PASS, v1::VALID);
  level.key.level = 1;
  level.concurrency = 16;
  level.in_flight = 16;
  level.phase = LevelPhase::kMeasuring;
  metrics.SetLevel(level);
}

}  // namespace tidemark::testing
