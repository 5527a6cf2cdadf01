#ifndef TIDEMARK_TESTS_SUPPORT_SIMULATOR_PROCESS_H_
#define TIDEMARK_TESTS_SUPPORT_SIMULATOR_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/json/json.h"
#include "tests/support/process.h"

namespace tidemark::testing {

// tidemark-sim as a child: a free port, what it saw, its end with the test.
class SimulatorProcess {
 public:
  // `flags` besides --listen. `port` 0: a free one. `ip`: an address of this host. Fails the test when it does not
  // listen in 10 s.
  explicit SimulatorProcess(const std::vector<std::string>& flags = {}, int port = 0,
                            const std::string& ip = "127.0.0.1");

  const std::string& url() const { return url_; }  // "http://127.0.0.1:43121"
  int port() const { return port_; }

  // A number of /simulator/stats, -1 when there is none by that name; "faults.cut" is one of a map's
  // (0 when the map has it not). Not for a simulator with TLS.
  int64_t Stat(const std::string& name) const;
  // Completion requests of every kind: those to models and statistics do not count.
  int64_t Posts() const;
  void ResetStats() const;

 private:
  Json Stats() const;

  const std::string ip_;
  Process process_;
  std::string url_;
  int port_ = 0;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_SIMULATOR_PROCESS_H_
