// `tidemark sweep` as an end-to-end test runs it.
#ifndef TIDEMARK_TESTS_E2E_SWEEP_RUN_H_
#define TIDEMARK_TESTS_E2E_SWEEP_RUN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proto/tidemark/v1/result.pb.h"
#include "tests/support/process.h"
#include "tests/support/simulator_process.h"

namespace tidemark::testing {

using Flags = std::vector<std::string>;

// `a` and then `b`.
Flags Join(const Flags& a, const Flags& b);

// What starts `tidemark sweep` with these flags.
ProcessOptions SweepOptions(const Flags& flags);

// result.json of the folder; fails the test, and gives an empty one, when it cannot be read.
v1::Result ReadResult(const std::string& folder);

// Text of every file below the folder, one after another.
std::string AllText(const std::string& folder);

// The visit of that concurrency; fails the test, and gives an empty one, when there is none.
v1::LevelResult LevelOf(const v1::Result& result, uint32_t concurrency);

// True for the exit codes of a job that ran: also 4, for a busy machine makes a short level invalid, and
// only validity_test is about that.
bool Ran(int code);

// Σ of the failures of that class; 0 when there is none.
uint64_t Failures(const v1::LevelResult& level, const std::string& failure_class);

// A sweep that was run to its end into a folder of its own.
struct SweepRun {
  std::unique_ptr<TemporaryFolder> home = std::make_unique<TemporaryFolder>();
  std::string folder;  // of the results
  ProcessEnd end;
  v1::Result result;  // empty when there is no result.json

  std::string all_output() const { return end.out + end.err; }
};

// `url` may be empty: the built-in simulator.
SweepRun RunSweep(const std::string& url, const Flags& flags, int64_t deadline_ms = 60'000,
                  const std::vector<std::string>& environment = {});

// The first of at most three runs that the machine did not disturb (no level is INVALID: what such a level says is
// not about the endpoint), or the last. For tests whose fact is another than validity. `run` makes all that it
// needs anew.
SweepRun RunUndisturbed(const std::function<SweepRun()>& run);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_E2E_SWEEP_RUN_H_
