#include "agent/session/host_pattern.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr uint8_t kNat64[12] = {0, 0x64, 0xff, 0x9b};
constexpr int kMappedBits = 96;

IpAddress FromVersion4(const void* bytes) {
  IpAddress address{};
  std::memcpy(address.data(), kMapped, sizeof(kMapped));
  std::memcpy(address.data() + sizeof(kMapped), bytes, 4);
  return address;
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

bool IsNameByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_'; }

bool SameBits(const IpAddress& a, const IpAddress& b, int bits) {
  for (int i = 0; i < bits; ++i) {
    const int mask = 0x80 >> (i % 8);
    if ((a[i / 8] & mask) != (b[i / 8] & mask)) return false;
  }
  return true;
}

bool ParseNumber(absl::string_view text, uint32_t least, uint32_t most, uint32_t* number) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit) && absl::SimpleAtoi(text, number) &&
         *number >= least && *number <= most;
}

// "example." is "example".
std::string Normal(absl::string_view host) {
  if (absl::EndsWith(host, ".")) host.remove_suffix(1);
  return absl::AsciiStrToLower(host);
}

absl::Status Bad(absl::string_view text, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\": ", what,
                   "; write a host (vllm.example, *.example, 10.0.0.5, [fd00::5]), perhaps with a port (vllm.example:8000), or a "
                   "network (10.0.0.0/8, fd00::/8)"));
}

}  // namespace

std::optional<IpAddress> ParseIpAddress(absl::string_view text) {
  const std::string plain(text.substr(0, text.find('%')));
  in_addr v4;
  if (inet_pton(AF_INET, plain.c_str(), &v4) == 1) return FromVersion4(&v4);
  IpAddress address;
  if (inet_pton(AF_INET6, plain.c_str(), address.data()) != 1) return std::nullopt;
  if (std::memcmp(address.data(), kNat64, sizeof(kNat64)) == 0) return FromVersion4(address.data() + sizeof(kNat64));
  return address;
}

bool IsLinkLocal(const IpAddress& address) {
  struct Network {
    const char* address;
    int bits;
  };
  constexpr Network kNetworks[] = {{"169.254.0.0", kMappedBits + 16}, {"fe80::", 10}, {"fd00:ec2::", 32}};
  return std::any_of(std::begin(kNetworks), std::end(kNetworks), [&address](const Network& network) {
    return SameBits(*ParseIpAddress(network.address), address, network.bits);
  });
}

absl::StatusOr<HostPattern> HostPattern::Parse(absl::string_view text) {
  HostPattern pattern;
  pattern.text_ = std::string(text);
  absl::string_view rest = text;
  if (const size_t slash = rest.find('/'); slash != absl::string_view::npos) {
    if (absl::Status s = pattern.TakeNetwork(rest.substr(0, slash), rest.substr(slash + 1)); !s.ok()) return s;
    return pattern;
  }
  const size_t colon = rest.rfind(':');
  if (colon != absl::string_view::npos && !absl::EndsWith(rest, "]")) {
    uint32_t port = 0;
    if (rest.front() != '[' && rest.find(':') != colon) return Bad(text, "an IPv6 address needs brackets");
    if (!ParseNumber(rest.substr(colon + 1), 1, 65'535, &port)) return Bad(text, "the port must be 1 to 65535");
    pattern.port_ = static_cast<uint16_t>(port);
    rest = rest.substr(0, colon);
  }
  if (absl::Status s = pattern.TakeHost(rest); !s.ok()) return s;
  return pattern;
}

absl::Status HostPattern::TakeNetwork(absl::string_view address, absl::string_view length) {
  const std::optional<IpAddress> network = ParseIpAddress(address);
  if (!network || absl::StrContains(address, "%")) return Bad(text_, "what stands before the / is no address");
  const bool v4 = !absl::StrContains(address, ":");
  uint32_t bits = 0;
  if (!ParseNumber(length, 0, v4 ? 32 : 128, &bits)) {
    return Bad(text_, absl::StrCat("what stands after the / must be 0 to ", v4 ? 32 : 128));
  }
  network_ = *network;
  bits_ = static_cast<int>(bits) + (v4 ? kMappedBits : 0);
  return absl::OkStatus();
}

absl::Status HostPattern::TakeHost(absl::string_view host) {
  const bool bracketed = absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  const absl::string_view plain = bracketed ? host.substr(1, host.size() - 2) : host;
  const std::optional<IpAddress> address = ParseIpAddress(plain);
  if (address && bracketed == absl::StrContains(plain, ":") && !absl::StrContains(plain, "%")) {
    network_ = *address;
    bits_ = 128;
    return absl::OkStatus();
  }
  if (absl::StartsWith(host, ".")) return Bad(text_, "no host; names under one are like *.example");
  const absl::string_view under = absl::StartsWith(host, "*.") ? host.substr(1) : host;
  name_ = Normal(under);
  const bool named = name_.size() > (under.size() < host.size() ? 1u : 0u);
  if (named && std::all_of(name_.begin(), name_.end(), IsNameByte)) return absl::OkStatus();
  return Bad(text_, "no host");
}

bool HostPattern::MatchesName(absl::string_view host, uint16_t port) const {
  if (name_.empty()) {
    const std::optional<IpAddress> address = ParseIpAddress(host);
    return address && MatchesAddress(*address, port);
  }
  const std::string given = Normal(host);
  if (!MatchesPort(port)) return false;
  return name_.front() == '.' ? given.size() > name_.size() && absl::EndsWith(given, name_) : given == name_;
}

bool HostPattern::MatchesAddress(const IpAddress& address, uint16_t port) const {
  return name_.empty() && MatchesPort(port) && SameBits(network_, address, bits_);
}

}  // namespace tidemark
