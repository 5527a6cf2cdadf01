#include "common/environment/environment.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tidemark {
namespace {

constexpr int kMostCpus = 1 << 16;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::optional<std::string> ValueOf(absl::string_view line, absl::string_view key) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  if (absl::StripAsciiWhitespace(line.substr(0, colon)) != key) return std::nullopt;
  return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
}

}  // namespace

// The set must hold all the CPUs that the kernel knows, or the call fails.
uint32_t AllowedCores() {
  for (int cpus = CPU_SETSIZE; cpus <= kMostCpus; cpus *= 2) {
    std::vector<cpu_set_t> set(static_cast<size_t>(cpus / CPU_SETSIZE));
    const size_t bytes = set.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, set.data()) != 0) continue;
    return static_cast<uint32_t>(std::max(1, CPU_COUNT_S(bytes, set.data())));
  }
  return static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

v1::Environment DescribeHost() {
  v1::Environment environment;
  utsname names{};
  if (uname(&names) == 0) {
    environment.set_host(names.nodename);
    environment.set_kernel(absl::StrCat(names.sysname, " ", names.release, " ", names.machine));
  }
  environment.set_cores(AllowedCores());
  environment.set_cpu_model(ParseCpuModel(ReadFile("/proc/cpuinfo")));
  environment.set_build(BuildString());
  return environment;
}

std::string VersionString() { return TIDEMARK_VERSION; }

std::string BuildString() {
#if defined(__clang__)
  return "tidemark " TIDEMARK_VERSION " (clang " __clang_version__ ")";
#else
  return "tidemark " TIDEMARK_VERSION " (gcc " __VERSION__ ")";
#endif
}

std::string ParseCpuModel(absl::string_view cpuinfo) {
  for (const absl::string_view key : {"model name", "Model", "Hardware"}) {
    for (const absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
      const std::optional<std::string> value = ValueOf(line, key);
      if (value && !value->empty()) return *value;
    }
  }
  return "";
}

}  // namespace tidemark
