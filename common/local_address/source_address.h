#ifndef TIDEMARK_COMMON_LOCAL_ADDRESS_SOURCE_ADDRESS_H_
#define TIDEMARK_COMMON_LOCAL_ADDRESS_SOURCE_ADDRESS_H_

#include <sys/socket.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tidemark {

// An address of this host that connections are made from.
struct SourceAddress {
  std::string text;  // as it was given: "10.0.0.7", "fd00::7"
  sockaddr_storage address{};  // with port 0
  socklen_t length = 0;

  int family() const { return address.ss_family; }
};

// From the values of a setting, each perhaps several with commas between them. Asks the system whether each is
// this host's. InvalidArgument names the one that is no IP address, not of this host, or given twice.
absl::StatusOr<std::vector<SourceAddress>> ParseSourceAddresses(const std::vector<std::string>& values);

// How many of them can reach addresses of this family.
size_t SourcesOfFamily(const std::vector<SourceAddress>& sources, int family);

// Gives the unconnected socket the `turn`-th (modulo) of the sources of its family; its port is chosen when it
// connects, so that the sources' ports multiply. True also when there are no sources at all; false when the system
// refuses, or none is of this family.
bool BindToSource(int fd, int family, const std::vector<SourceAddress>& sources, size_t turn);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_LOCAL_ADDRESS_SOURCE_ADDRESS_H_
