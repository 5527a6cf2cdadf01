#include "agent/session/cgroup_limits.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tidemark {
namespace {

constexpr char kRoot[] = "/sys/fs/cgroup";
// Version 1 says "no limit" by the largest number of pages.
constexpr uint64_t kNoMemoryLimit = uint64_t{1} << 60;

template <typename Value>
void Tighten(Value limit, Value* tightest) {
  if (limit <= 0) return;
  *tightest = *tightest > 0 ? std::min(*tightest, limit) : limit;
}

// "/a/b", "/a", "": a group and those above it. In a container the path may be the host's, which is
// not to be seen there; the last, the root of what is seen, is then the container's own group.
std::vector<std::string> GroupAndAbove(absl::string_view path) {
  std::vector<std::string> groups;
  path = absl::StripSuffix(path, "/");
  while (!path.empty()) {
    groups.emplace_back(path);
    path = path.substr(0, path.rfind('/'));
  }
  groups.emplace_back();
  return groups;
}

std::string ReadOr(const FileReader& read, const std::string& path) {
  return read(path).value_or("");
}

double QuotaCores(absl::string_view quota_text, absl::string_view period_text) {
  int64_t quota = 0, period = 0;
  if (!absl::SimpleAtoi(quota_text, &quota) || !absl::SimpleAtoi(period_text, &period)) return 0;
  return quota > 0 && period > 0 ? static_cast<double>(quota) / static_cast<double>(period) : 0;
}

void ReadVersion2(const FileReader& read, absl::string_view path, CgroupLimits* limits) {
  for (const std::string& group : GroupAndAbove(path)) {
    const std::string folder = absl::StrCat(kRoot, group);
    Tighten(ParseCpuMax(ReadOr(read, folder + "/cpu.max")), &limits->cpu);
    Tighten(ParseMemoryLimit(ReadOr(read, folder + "/memory.max")), &limits->memory_bytes);
  }
}

void ReadVersion1(const FileReader& read, absl::string_view controllers, absl::string_view path,
                  CgroupLimits* limits) {
  for (const absl::string_view controller : absl::StrSplit(controllers, ',')) {
    for (const std::string& group : GroupAndAbove(path)) {
      const std::string folder = absl::StrCat(kRoot, "/", controller, group);
      if (controller == "cpu") {
        Tighten(QuotaCores(ReadOr(read, folder + "/cpu.cfs_quota_us"),
                           ReadOr(read, folder + "/cpu.cfs_period_us")),
                &limits->cpu);
      } else if (controller == "memory") {
        Tighten(ParseMemoryLimit(ReadOr(read, folder + "/memory.limit_in_bytes")),
                &limits->memory_bytes);
      }
    }
  }
}

}  // namespace

CgroupLimits ReadCgroupLimits(const FileReader& read) {
  CgroupLimits limits;
  const std::string groups = ReadOr(read, "/proc/self/cgroup");
  for (const absl::string_view line : absl::StrSplit(groups, '\n')) {
    // "0::/path" (version 2) or "4:cpu,cpuacct:/path"; a path may hold colons.
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      ReadVersion2(read, parts[2], &limits);
    } else {
      ReadVersion1(read, parts[1], parts[2], &limits);
    }
  }
  return limits;
}

double ParseCpuMax(absl::string_view text) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::StripAsciiWhitespace(text), ' ', absl::SkipEmpty());
  return parts.size() == 2 ? QuotaCores(parts[0], parts[1]) : 0;
}

uint64_t ParseMemoryLimit(absl::string_view text) {
  uint64_t bytes = 0;
  if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(text), &bytes)) return 0;
  return bytes >= kNoMemoryLimit ? 0 : bytes;
}

}  // namespace tidemark
