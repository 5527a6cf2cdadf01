// The built-in target: tidemark-sim as a child process, with its own descriptors and, where there
// are two, its own core.
#ifndef TIDEMARK_CLI_SIMULATOR_CHILD_H_
#define TIDEMARK_CLI_SIMULATOR_CHILD_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock/clock.h"

namespace tidemark {

struct SimulatorChildOptions {
  std::string program;                       // path of tidemark-sim
  std::vector<std::string> arguments;        // after --listen and --exit-with-parent
  int64_t start_deadline_ns = 10 * kNanosPerSecond;
  bool own_core = true;
};

// Thread-compatible. The child's life ends with the object, and with this process.
class SimulatorChild {
 public:
  // Spawns it (call this before gRPC starts: its threads and spawning do not mix) and waits for its
  // line "… listening on http://HOST:PORT". With own_core and two cores or more the child gets the
  // last one that this process may use, and this process keeps the others.
  // Errors: NotFound (no such program), Unavailable (it ended, or said nothing in time).
  static absl::StatusOr<std::unique_ptr<SimulatorChild>> Start(const SimulatorChildOptions& options,
                                                               const Clock& clock);

  // SIGTERM; SIGKILL after 2 s.
  ~SimulatorChild();
  SimulatorChild(const SimulatorChild&) = delete;
  SimulatorChild& operator=(const SimulatorChild&) = delete;

  const std::string& url() const { return url_; }  // "http://127.0.0.1:43121"
  pid_t pid() const { return pid_; }

 private:
  SimulatorChild(pid_t pid, int output_fd, const Clock& clock)
      : pid_(pid), output_fd_(output_fd), clock_(clock) {}
  absl::Status ReadUrl(int64_t deadline_ns);

  const pid_t pid_;
  const int output_fd_;
  const Clock& clock_;
  std::string url_;
};

// "<folder of this program>/tidemark-sim".
std::string SimulatorProgram();

// `environment` without variables that may hold the user's secrets (TIDEMARK_API_KEY).
std::vector<std::string> ChildEnvironment(char** environment);

}  // namespace tidemark

#endif  // TIDEMARK_CLI_SIMULATOR_CHILD_H_
