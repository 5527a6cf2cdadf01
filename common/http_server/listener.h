#ifndef TIDEMARK_COMMON_HTTP_SERVER_LISTENER_H_
#define TIDEMARK_COMMON_HTTP_SERVER_LISTENER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/descriptors/owned_fd.h"

namespace tidemark {

// A listening TCP socket; it does not block.
struct Listener {
  OwnedFd fd;
  uint16_t port = 0;
  std::string address;  // numeric: "127.0.0.1:7080"
};

// `listen` is HOST:PORT, [V6]:PORT or :PORT. InvalidArgument or FailedPrecondition repeats it and says what is
// wrong. An address in use is refused: two servers never share one.
absl::StatusOr<Listener> ListenOn(const std::string& listen);

// The next connection, close-on-exec and non-blocking; invalid when there is none (any more).
OwnedFd AcceptFrom(const Listener& listener);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_HTTP_SERVER_LISTENER_H_
