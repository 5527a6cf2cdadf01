#include "agent/exporter/process_facts.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace tidemark {
namespace {

double Seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; }

std::string ReadStatm() {
  std::ifstream in("/proc/self/statm");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

ProcessFacts ReadProcessFacts() {
  ProcessFacts facts;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) facts.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  facts.resident_bytes = ParseResidentPages(ReadStatm()) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return facts;
}

uint64_t ParseResidentPages(absl::string_view statm) {
  const std::vector<absl::string_view> fields = absl::StrSplit(statm, ' ');
  uint64_t pages = 0;
  return fields.size() >= 2 && absl::SimpleAtoi(fields[1], &pages) ? pages : 0;
}

uint64_t BytesOfFiles(const std::string& folder) {
  namespace fs = std::filesystem;
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;  // a file may vanish between the two looks
    const uintmax_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace tidemark
