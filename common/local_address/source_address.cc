#include "common/local_address/source_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

namespace tidemark {
namespace {

std::optional<SourceAddress> AddressOf(const std::string& text) {
  SourceAddress source;
  source.text = text;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&source.address);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    source.length = sizeof(sockaddr_in);
    return source;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&source.address);
  if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) != 1) return std::nullopt;
  v6->sin6_family = AF_INET6;
  source.length = sizeof(sockaddr_in6);
  return source;
}

bool Bind(int fd, const SourceAddress& source) {
  return bind(fd, reinterpret_cast<const sockaddr*>(&source.address), source.length) == 0;
}

bool IsOfThisHost(const SourceAddress& source) {
  const int fd = socket(source.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool bound = Bind(fd, source);
  close(fd);
  return bound;
}

absl::Status Refuse(const std::string& text, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat("source_address is ", text.substr(0, 64), ": ", right));
}

}  // namespace

absl::StatusOr<std::vector<SourceAddress>> ParseSourceAddresses(const std::vector<std::string>& values) {
  std::vector<SourceAddress> sources;
  for (const std::string& value : values) {
    for (absl::string_view part : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
      const std::string text(absl::StripAsciiWhitespace(part));
      const std::optional<SourceAddress> source = AddressOf(text);
      if (!source) return Refuse(text, "want an IP address of this host, like 10.0.0.7");
      const auto same = [&text](const SourceAddress& other) { return other.text == text; };
      if (std::any_of(sources.begin(), sources.end(), same)) return Refuse(text, "want each address once");
      if (!IsOfThisHost(*source)) return Refuse(text, "no interface of this host has it (ip address lists what they have)");
      sources.push_back(*source);
    }
  }
  return sources;
}

size_t SourcesOfFamily(const std::vector<SourceAddress>& sources, int family) {
  return static_cast<size_t>(std::count_if(sources.begin(), sources.end(), [family](const SourceAddress& source) {
    return source.family() == family;
  }));
}

bool BindToSource(int fd, int family, const std::vector<SourceAddress>& sources, size_t turn) {
  if (sources.empty()) return true;
  const size_t usable = SourcesOfFamily(sources, family);
  if (usable == 0) return false;
  size_t left = turn % usable;
  for (const SourceAddress& source : sources) {
    if (source.family() != family || left-- > 0) continue;
    const int on = 1;
    // Where the kernel does not know it, the port is taken at once, and the sources share one range of them.
    (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
    return Bind(fd, source);
  }
  return false;
}

}  // namespace tidemark
