#include "agent/engine/self_check.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/descriptors/descriptor_limit.h"

namespace tidemark {
namespace {

std::string ReadSmallFile(const std::string& path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool Exists(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

uint64_t NumberAfter(absl::string_view line, absl::string_view key) {
  uint64_t value = 0;
  if (!absl::StartsWith(line, absl::StrCat(key, " "))) return 0;
  return absl::SimpleAtoi(line.substr(key.size() + 1), &value) ? value : 0;
}

const std::string& ThisCpuStat() {
  static const std::string* const path =
      new std::string(CpuStatPath(ReadSmallFile("/proc/self/cgroup"), &Exists));
  return *path;
}

bool IsCpuController(absl::string_view controllers) {
  for (const absl::string_view name : absl::StrSplit(controllers, ',')) {
    if (name == "cpu") return true;
  }
  return false;
}

}  // namespace

CgroupThrottling ParseCpuStat(absl::string_view text) {
  CgroupThrottling throttling;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    throttling.throttled_ns +=
        NumberAfter(line, "throttled_time") + 1'000 * NumberAfter(line, "throttled_usec");
    throttling.periods += NumberAfter(line, "nr_periods");
    throttling.throttled_periods += NumberAfter(line, "nr_throttled");
  }
  return throttling;
}

uint64_t ParseRunQueueWait(absl::string_view text) {
  const std::vector<absl::string_view> fields =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  uint64_t value = 0;
  return fields.size() >= 2 && absl::SimpleAtoi(fields[1], &value) ? value : 0;
}

std::string CpuStatPath(absl::string_view proc_self_cgroup,
                        bool (*exists)(const std::string& path)) {
  std::vector<std::string> candidates;
  for (const absl::string_view line : absl::StrSplit(proc_self_cgroup, '\n')) {
    const std::vector<absl::string_view> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    const bool unified = fields[0] == "0" && fields[1].empty();
    if (!unified && !IsCpuController(fields[1])) continue;
    // Inside a container the path is often that of the host, and what is mounted is its own root.
    const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
    candidates.push_back(absl::StrCat(root, fields[2] == "/" ? "" : fields[2], "/cpu.stat"));
    candidates.push_back(absl::StrCat(root, "/cpu.stat"));
  }
  const auto found = std::find_if(candidates.begin(), candidates.end(), exists);
  return found == candidates.end() ? "" : *found;
}

CgroupThrottling ReadCgroupThrottling() {
  return ThisCpuStat().empty() ? CgroupThrottling() : ParseCpuStat(ReadSmallFile(ThisCpuStat()));
}

uint64_t OpenDescriptors() {
  DIR* dir = opendir("/proc/self/fd");
  if (dir == nullptr) return 0;
  uint64_t count = 0;
  while (readdir(dir) != nullptr) ++count;
  closedir(dir);
  return count > 3 ? count - 3 : 0;  // ".", "..", and the folder itself
}

SelfCheck::Sample SelfCheck::Take() const {
  Sample sample;
  sample.wall_ns = clock_->MonotonicNanos();
  sample.cpu_ns = ThreadCpuNanos();
  sample.run_queue_wait_ns = ParseRunQueueWait(ReadSmallFile("/proc/thread-self/schedstat"));
  sample.throttling = ReadCgroupThrottling();
  sample.descriptors = OpenDescriptors();
  return sample;
}

void SelfCheck::Begin() {
  running_ = true;
  begin_ = Take();
}

void SelfCheck::End(SelfCheckFacts* facts) {
  if (!running_) return;
  running_ = false;
  const Sample end = Take();
  facts->wall_ns += end.wall_ns - begin_.wall_ns;
  facts->loop_cpu_ns += end.cpu_ns - begin_.cpu_ns;
  facts->run_queue_wait_ns += end.run_queue_wait_ns - begin_.run_queue_wait_ns;
  facts->cgroup_throttled_ns += end.throttling.throttled_ns - begin_.throttling.throttled_ns;
  facts->cgroup_periods += end.throttling.periods - begin_.throttling.periods;
  facts->cgroup_throttled_periods +=
      end.throttling.throttled_periods - begin_.throttling.throttled_periods;
  facts->descriptors_limit = DescriptorLimit();
  facts->descriptors_used_max =
      std::max({facts->descriptors_used_max, begin_.descriptors, end.descriptors});
}

}  // namespace tidemark
