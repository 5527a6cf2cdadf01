#ifndef TIDEMARK_COORDINATOR_CORE_SEARCH_SEARCH_CODEC_H_
#define TIDEMARK_COORDINATOR_CORE_SEARCH_SEARCH_CODEC_H_

#include <optional>

#include "coordinator/core/search/sla.h"
#include "coordinator/core/search/verdict.h"
#include "proto/tidemark/v1/result.pb.h"

// Verdicts and SLAs as results and journals hold them. Pure functions: thread-safe.
namespace tidemark {

v1::Verdict EncodeVerdict(Verdict verdict);

// The SLA and what was observed of it; the other fields are left as they are.
void EncodeSla(const Sla& sla, std::optional<double> observed, v1::SlaResult& out);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_SEARCH_SEARCH_CODEC_H_
