#ifndef TIDEMARK_COORDINATOR_CORE_RESULT_VALIDITY_H_
#define TIDEMARK_COORDINATOR_CORE_RESULT_VALIDITY_H_

#include <string>
#include <vector>

#include "coordinator/core/job/job_machine.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// Was the generator the limit? Every measure of every agent with slots against its thresholds
// (docs/validity.md), worst first, so that a level is never judged on what the generator could not do. With
// one URL also whether its addresses got their shares of the requests; with more, an agent's list of
// addresses does not say which are whose.
std::vector<v1::ValidityCheck> CheckValidity(const LevelMeasurement& measurement, size_t urls = 1);

// The worst state among the checks; VALID when there are none.
v1::Validity WorstOf(const std::vector<v1::ValidityCheck>& checks);

// What each agent with slots had to carry, and carried: fewer where a measure of it is INVALID and its load
// was the cause: its loop used over 70 % of a core, its CPU limit held it, or its descriptors or ports ran out.
std::vector<AgentLoad> LoadsOf(const LevelMeasurement& measurement, const std::vector<v1::ValidityCheck>& checks);

// Why the level is INVALID: the advice of every such check, of one agent's second and later ones without the cure.
std::vector<std::string> InvalidReasons(const std::vector<v1::ValidityCheck>& checks);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_RESULT_VALIDITY_H_
