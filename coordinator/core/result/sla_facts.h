#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_SLA_FACTS_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_SLA_FACTS_H_

#include <optional>
#include <vector>

#include "common/measurement/facts.h"
#include "coordinator/core/evidence/evidence_plan.h"
#include "coordinator/core/result/level_rates.h"
#include "coordinator/core/search/verdict.h"

namespace tidemark {

// What was measured of each SLA's metric, ready for JudgeLevel.
std::vector<SlaFacts> SlaFactsOf(const std::vector<Sla>& slas, const EvidencePlan& plan,
                                 const MeasuredFacts& facts, const std::optional<LevelRates>& rates);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_SLA_FACTS_H_
