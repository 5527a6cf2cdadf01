// The other process of the store's tests. Each writes a line a step and ends by itself within a minute.
#ifndef TIDEMARK_TESTS_INTEGRATION_COORDINATOR_STORE_STORE_WORKER_H_
#define TIDEMARK_TESTS_INTEGRATION_COORDINATOR_STORE_STORE_WORKER_H_

#include <string>
#include <vector>

namespace tidemark::testing {

// hold DIR           opens the store and keeps it
// append DIR         adds to the journal of job "a" and says the number of each entry that was acknowledged
// finish DIR         finishes job "a" over and over, job and result under one number, and says each
// fill DIR [BYTES]   adds to the journal until it is refused, no file growing over BYTES; says the refusal, then
//                    what a reader finds, and, where there was a bound, lifts it and adds once more
// finish-big DIR BYTES  finishes job "a" as "after", with a result that is larger than a file may be; says the refusal
//                       and what a reader finds
// Returns the exit code.
int RunStoreWorker(const std::vector<std::string>& arguments);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_INTEGRATION_COORDINATOR_STORE_STORE_WORKER_H_
