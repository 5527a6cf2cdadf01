#include "common/local_address/local_ports.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace tidemark {

uint32_t LocalPorts() {
  std::ifstream in("/proc/sys/net/ipv4/ip_local_port_range");
  return ParsePortRange(std::string(std::istreambuf_iterator<char>(in), {}));
}

uint32_t ParsePortRange(absl::string_view text) {
  const std::vector<absl::string_view> ends = absl::StrSplit(text, absl::ByAnyChar(" \t\n"), absl::SkipEmpty());
  uint32_t first = 0, last = 0;
  if (ends.size() != 2 || !absl::SimpleAtoi(ends[0], &first) || !absl::SimpleAtoi(ends[1], &last)) return 0;
  return first <= last && last <= 65'535 ? last - first + 1 : 0;
}

}  // namespace tidemark
