// The engine's own records of its requests, for a comparison with the send log.
#ifndef TIDEMARK_TESTS_BENCH_ENGINE_RECORDS_H_
#define TIDEMARK_TESTS_BENCH_ENGINE_RECORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/job/level_task.h"
#include "tests/bench/truth.h"

namespace tidemark::bench {

struct EngineRecords {
  std::vector<ClientRequest> requests;
  uint64_t left_out = 0;  // a read held more than one token, so that the gaps are fewer than the tokens
};

// Reads the spool of a level of this task. The body of each request is made once more from its index, for its key.
EngineRecords ReadSpool(const std::string& path, const LevelTask& task);

}  // namespace tidemark::bench

#endif  // TIDEMARK_TESTS_BENCH_ENGINE_RECORDS_H_
