#ifndef TIDEMARK_COMMON_RPC_LISTEN_ADDRESS_H_
#define TIDEMARK_COMMON_RPC_LISTEN_ADDRESS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// Where a server listens, or is dialled.
struct NetAddress {
  std::string host;   // without brackets
  uint16_t port = 0;  // 0, for a listener: the system picks one
};

// Reads "127.0.0.1:7070", "coordinator:7070", "[::]:7070". Pure. InvalidArgument repeats `text`, names
// `flag` ("--listen"), and says what would be right: a host (an IPv6 address in brackets) and a port from 0
// to 65535.
absl::StatusOr<NetAddress> ParseListenAddress(absl::string_view flag, absl::string_view text);

// The same for an address to dial: port 0 is refused too.
absl::StatusOr<NetAddress> ParseDialAddress(absl::string_view flag, absl::string_view text);

// "host:port", with brackets where the host is an IPv6 address.
std::string ToString(const NetAddress& address);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_RPC_LISTEN_ADDRESS_H_
