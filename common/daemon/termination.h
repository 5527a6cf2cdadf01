#ifndef TIDEMARK_COMMON_DAEMON_TERMINATION_H_
#define TIDEMARK_COMMON_DAEMON_TERMINATION_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "common/mutex.h"
#include "common/thread/interrupt.h"

namespace tidemark {

// When a daemon ends: at the first SIGTERM or SIGINT in good order (exit code 0), at the second at once (128 + the
// signal), or by its own word. Thread-safe.
class Termination {
 public:
  // Takes the signals from now on: before the process has other threads, until its end. Internal with the system's
  // reason.
  static absl::StatusOr<std::unique_ptr<Termination>> Watch();

  // The first word counts.
  void End(int exit_code);

  // Waits for the end, and returns the exit code.
  int Wait();

 private:
  Termination() = default;
  void OnSignal(int signal, int count);

  Mutex mutex_;
  CondVar changed_;
  std::optional<int> exit_code_ TIDEMARK_GUARDED_BY(mutex_);
  std::unique_ptr<InterruptWatch> watch_;  // last: its thread uses the rest
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_DAEMON_TERMINATION_H_
