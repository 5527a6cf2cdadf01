// Sentences of the summary and of the page.
//
// Pure functions: thread-safe.
#ifndef TIDEMARK_COORDINATOR_REPORT_STATEMENTS_H_
#define TIDEMARK_COORDINATOR_REPORT_STATEMENTS_H_

#include <string>
#include <vector>

#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// The knee's statement to go on after "Knee:", and that its cross-checks differ. Empty without one.
std::string KneeSentence(const v1::Result& result);

// What the built-in simulator's law says, and how far the measured throughput is from it. Empty
// when the simulator was not the target.
std::string LawSentence(const v1::Result& result);

// The order of a search's levels and why it ended. Empty for a list.
std::string SearchSentence(const v1::Result& result);

// The endpoint and model, or that it was the built-in simulator.
std::string TargetSentence(const v1::Result& result);

// Whose arrival times the latencies rest on, and how late the agents read at p99 where the kernel's are known.
std::string ArrivalTimesSentence(const v1::Result& result);

// What to do about levels that the generator spoilt: of each INVALID one its reason, of the others the advice on the
// first that is suspect. A sentence each. The latest visit of a level counts.
std::vector<std::string> ValiditySentences(const v1::Result& result);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_REPORT_STATEMENTS_H_
