#ifndef TIDEMARK_TESTS_SUPPORT_DAEMON_PROCESS_H_
#define TIDEMARK_TESTS_SUPPORT_DAEMON_PROCESS_H_

#include <string>
#include <vector>

#include "common/rpc/tls_files.h"
#include "tests/support/process.h"

namespace tidemark::testing {

using Flags = std::vector<std::string>;

// --tls-cert, --tls-key and --tls-ca.
Flags TlsFlags(const TlsFiles& files);

// tidemark-coordinator or tidemark-agent as a child, with its addresses on free ports of 127.0.0.1. Start it before the
// test has threads of gRPC's.
class DaemonProcess {
 public:
  // `flags` besides --http, --health and, of the coordinator, --listen.
  DaemonProcess(const std::string& program, const Flags& flags, const std::vector<std::string>& environment = {});

  // "127.0.0.1:43121" of "grpc", "http" or "health", as its log says; fails the test, and gives "", when it does not
  // say so within 10 s.
  std::string Address(const std::string& service);

  Process& process() { return process_; }
  std::string log() const { return process_.err(); }

  // Sends SIGTERM, and waits for the exit code; -1 when it still runs after `ms`.
  int Terminate(int64_t ms);

 private:
  Process process_;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_DAEMON_PROCESS_H_
