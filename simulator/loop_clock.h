// The simulator's clock.
#ifndef TIDEMARK_SIMULATOR_LOOP_CLOCK_H_
#define TIDEMARK_SIMULATOR_LOOP_CLOCK_H_

#include "simulator/token_schedule.h"

namespace tidemark {

// The monotonic time that libevent's timers run on, with their resolution of a microsecond.
// Thread-safe: each thread has its own timer.
SimTime LoopNow();

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_LOOP_CLOCK_H_
