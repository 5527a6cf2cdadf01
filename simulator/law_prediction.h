// What the capacity law gives a closed loop of clients, in closed form (derived in
// docs/simulator.md). For the line "what the simulator's law says" of a report.
#ifndef TIDEMARK_SIMULATOR_LAW_PREDICTION_H_
#define TIDEMARK_SIMULATOR_LAW_PREDICTION_H_

#include <cstdint>

#include "simulator/batch_law.h"

namespace tidemark {

// Every client sends its next request as soon as it has the last one's end, in less time than one
// step. All requests are alike.
struct ClosedLoopLoad {
  int64_t concurrency = 1;   // N, >= 1
  double prompt_tokens = 0;  // P, with the chat template's
  double output_tokens = 1;  // L, >= 1
};

struct LawPrediction {
  double output_token_throughput = 0;  // tokens/s
  double request_throughput = 0;       // requests/s
  // Means over the requests. The latency is also every single request's, but above max_batch,
  // where requests differ by up to one service time.
  double request_latency_ms = 0;
  double time_to_first_token_ms = 0;  // where the clients' starts are spread over the steps
  double inter_token_latency_ms = 0;  // likewise; 0 when L < 2
  double wait_ms = 0;                 // from arrival to admission
};

LawPrediction PredictClosedLoop(const LawConstants& constants, const ClosedLoopLoad& load);

// The largest concurrency whose request latency is at most `latency_ms`; 0 when there is none.
int64_t LimitUnderLatency(const LawConstants& constants, double prompt_tokens, double output_tokens,
                          double latency_ms);

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_LAW_PREDICTION_H_
