// What both servers of this folder need before they serve.
#ifndef TIDEMARK_SIMULATOR_LISTENER_H_
#define TIDEMARK_SIMULATOR_LISTENER_H_

#include <string>

#include "absl/status/statusor.h"

namespace tidemark {

// Raises the process's soft limit of open files to the hard one: each stream takes one.
void RaiseFileLimit();

// A non-blocking TCP socket that listens on an address of this host; port 0 picks a free one. What it accepts sends
// without delay. The caller closes it. Unavailable when the address cannot be had.
absl::StatusOr<int> ListenOn(const std::string& host, int port);

// The port that a listening socket has; 0 when it has none.
int PortOf(int fd);

// Where clients of this host reach a server that listens on `host`: "http://127.0.0.1:8000".
std::string UrlOf(const std::string& scheme, const std::string& host, int port);

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_LISTENER_H_
