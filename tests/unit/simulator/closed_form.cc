#include "tests/unit/simulator/closed_form.h"

#include <algorithm>

namespace tidemark::testing {
namespace {

// A whole turn of a full batch: L steps, in which each of the M places admits once.
double FullTurnMs(const LawCase& law) {
  const double step = law.b_ms + law.c_ms * law.max_batch;
  return law.output * step + law.max_batch * law.a_ms * law.prompt;
}

// A turn of N <= M clients: N token-steps a token and N prompts over the steps that it takes.
double OpenTurnMs(const LawCase& law, int clients) {
  const int steps = clients == 1 ? law.output : law.output + 1;
  double turn = steps * law.b_ms;
  turn += law.c_ms * law.output * clients;
  turn += law.a_ms * law.prompt * clients;
  return turn;
}

}  // namespace

double ClosedFormLatencyMs(const LawCase& law, int clients) {
  const double open = OpenTurnMs(law, clients);
  if (clients <= law.max_batch) return open;
  return std::max(open, FullTurnMs(law) * clients / law.max_batch);
}

double ClosedFormTokensPerSecond(const LawCase& law, int clients) {
  return 1000.0 * clients * law.output / ClosedFormLatencyMs(law, clients);
}

double ClosedFormFirstTokenMs(const LawCase& law, int clients) {
  if (clients <= law.max_batch) {
    const double missed_step = law.b_ms + law.c_ms * (clients - 1);
    const double own_step = law.b_ms + law.c_ms * clients + law.a_ms * law.prompt;
    return missed_step + own_step;
  }
  const double queue = FullTurnMs(law) * (clients - law.max_batch) / law.max_batch;
  return queue + law.b_ms + law.c_ms * law.max_batch + law.a_ms * law.prompt;
}

int ClosedFormLimit(const LawCase& law, double limit_ms) {
  int clients = 0;
  while (clients < 1'000'000 && ClosedFormLatencyMs(law, clients + 1) <= limit_ms) ++clients;
  return clients;
}

}  // namespace tidemark::testing
