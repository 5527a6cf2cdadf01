// A closed loop of clients against a token schedule, in virtual time.
#ifndef TIDEMARK_TESTS_UNIT_SIMULATOR_CLOSED_LOOP_RUN_H_
#define TIDEMARK_TESTS_UNIT_SIMULATOR_CLOSED_LOOP_RUN_H_

#include <cstdint>

#include "simulator/token_schedule.h"

namespace tidemark::testing {

struct ClosedLoopSetup {
  int clients = 1;
  int64_t prompt_tokens = 512;
  int64_t output_tokens = 128;
  SimTime ramp = 0;             // the clients' first requests are spread evenly over it
  int start_every_steps = 0;    // instead of the ramp: a client more every so many steps
  SimTime turn_around = 1'000;  // from a last token to the client's next request
  int warm_up = 4;              // requests of a client before those measured
  int measured = 20;            // requests of a client measured
};

struct ClosedLoopResult {
  double tokens_per_second = 0;
  double latency_ms = 0, latency_min_ms = 0, latency_max_ms = 0;
  double first_token_ms = 0;
};

ClosedLoopResult RunClosedLoop(const ClosedLoopSetup& setup, TokenSchedule* schedule);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_UNIT_SIMULATOR_CLOSED_LOOP_RUN_H_
