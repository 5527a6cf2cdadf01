#ifndef TIDEMARK_AGENT_SESSION_HOST_PATTERN_H_
#define TIDEMARK_AGENT_SESSION_HOST_PATTERN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// Which hosts something is for. Pure; immutable: thread-safe.
namespace tidemark {

// An address of either family; one of version 4 as version 6 has it (::ffff:1.2.3.4), whichever way it was
// written, also inside the well-known NAT64 prefix (64:ff9b::).
using IpAddress = std::array<uint8_t, 16>;

// Without brackets; a zone ("%eth0") is passed over.
std::optional<IpAddress> ParseIpAddress(absl::string_view text);

// 169.254.0.0/16, fe80::/10, and fd00:ec2::/32, where a cloud's metadata service is: what asks there gets the
// credentials of the host.
bool IsLinkLocal(const IpAddress& address);

// One of: "vllm.example" (that name), "*.example" (every name under it), "10.0.0.5", "[fd00::5]" (that
// address), each also with ":port"; "10.0.0.0/8", "fd00::/8" (those addresses). Upper case is lower case.
class HostPattern {
 public:
  // InvalidArgument repeats `text` and says what it should look like.
  static absl::StatusOr<HostPattern> Parse(absl::string_view text);

  // Of the host as a URL has it (without brackets).
  bool MatchesName(absl::string_view host, uint16_t port) const;
  // Of an address that a name stands for. Never true for a pattern of names.
  bool MatchesAddress(const IpAddress& address, uint16_t port) const;

  // As it was given.
  const std::string& text() const { return text_; }

 private:
  HostPattern() = default;
  absl::Status TakeNetwork(absl::string_view address, absl::string_view length);
  absl::Status TakeHost(absl::string_view host);
  bool MatchesPort(uint16_t port) const { return port_ == 0 || port_ == port; }

  std::string text_;
  uint16_t port_ = 0;  // 0: any
  std::string name_;   // lower case; of "*.example" ".example"; empty: a network
  IpAddress network_{};
  int bits_ = 0;  // that count, from the left
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_HOST_PATTERN_H_
