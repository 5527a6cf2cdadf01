#include "cli/exit_code.h"

#include "coordinator/report/answer.h"

namespace tidemark {

int ExitCodeOf(const v1::Result& result, bool accept_undecided, int signal) {
  constexpr int kSignalled = 128;
  return signal != 0 ? kSignalled + signal : ExitCodeFor(result, accept_undecided);
}

}  // namespace tidemark
