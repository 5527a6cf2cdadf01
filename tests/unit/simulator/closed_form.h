// The capacity law in closed form, written anew for the tests: shares nothing with simulator/.
// Derivation: docs/simulator.md.
#ifndef TIDEMARK_TESTS_UNIT_SIMULATOR_CLOSED_FORM_H_
#define TIDEMARK_TESTS_UNIT_SIMULATOR_CLOSED_FORM_H_

namespace tidemark::testing {

struct LawCase {
  double a_ms = 0.002;  // per prompt token
  double b_ms = 1;      // per step
  double c_ms = 0.05;   // per sequence and step
  int max_batch = 16;   // M
  int prompt = 512;     // P, with the template's tokens
  int output = 128;     // L
};

// The time from a request to its last token, the mean over requests; every request's own where
// clients <= max_batch. Clients answer at once.
double ClosedFormLatencyMs(const LawCase& law, int clients);

double ClosedFormTokensPerSecond(const LawCase& law, int clients);

// Of spread-out clients: each is admitted in a step of its own, no two steps adjacent.
// REQUIRES: 2 <= clients <= max_batch, or clients >= 2 * max_batch.
double ClosedFormFirstTokenMs(const LawCase& law, int clients);

// The largest number of clients with a latency of at most `limit_ms`; 0: none.
int ClosedFormLimit(const LawCase& law, double limit_ms);

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_UNIT_SIMULATOR_CLOSED_FORM_H_
