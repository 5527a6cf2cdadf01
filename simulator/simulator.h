// An inference endpoint with a known capacity law, on a loop and thread of its own: Tidemark's
// default target and the ground truth of its tests. docs/simulator.md states the law.
#ifndef TIDEMARK_SIMULATOR_SIMULATOR_H_
#define TIDEMARK_SIMULATOR_SIMULATOR_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "simulator/options.h"

namespace tidemark {

// Thread-compatible. Its server runs on its own thread.
class Simulator {
 public:
  Simulator();
  ~Simulator();  // stops it
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  // Listens and serves; the answer is the port. InvalidArgument for a bad option or certificate,
  // Unavailable when the address cannot be had, FailedPrecondition when it runs already.
  absl::StatusOr<int> Start(SimulatorOptions options);

  // "http://127.0.0.1:PORT", or https. REQUIRES: Start succeeded.
  std::string url() const;

  // Cuts what is unfinished and waits for the thread. May be called again, and without a Start.
  void Stop();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_SIMULATOR_H_
