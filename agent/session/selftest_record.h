#ifndef TIDEMARK_AGENT_SESSION_SELFTEST_RECORD_H_
#define TIDEMARK_AGENT_SESSION_SELFTEST_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// What `tidemark selftest` found that this host drives, as it is kept. Thread-safe.
namespace tidemark {

// Only on the same build, cores and CPU limit it holds.
struct SelftestKey {
  std::string build;    // BuildString()
  uint32_t cores = 1;   // the process may run on
  double cpu_limit = 0; // cores of the control group's quota; 0: none
  friend bool operator==(const SelftestKey&, const SelftestKey&) = default;
};

struct SelftestRecord {
  SelftestKey key;
  uint32_t streams = 0;          // at once, each with an event every 20 ms
  double events_per_second = 0;  // that they brought
  std::string measured_at;       // RFC 3339
  friend bool operator==(const SelftestRecord&, const SelftestRecord&) = default;
};

// A selftest's events per second as a weight that stands beside other agents' cores: so many are a core's.
inline constexpr double kEventsOfACore = 60'000;

SelftestKey KeyOfThisHost();

std::string EncodeSelftest(const SelftestRecord& record);
// InvalidArgument names what is missing or out of its range.
absl::StatusOr<SelftestRecord> DecodeSelftest(absl::string_view text);

// $TIDEMARK_SELFTEST_FILE, else tidemark/selftest.json in $XDG_STATE_HOME, else in ~/.local/state; "" when there is
// no telling. `environment`: "K=V".
std::string SelftestPath(const std::vector<std::string>& environment);

// What is kept in a file, if it holds for `key`; else `why_not` says why, in a sentence, unless there is no file.
struct KeptSelftest {
  std::optional<SelftestRecord> record;
  std::string why_not;
};
KeptSelftest LoadSelftest(const std::string& path, const SelftestKey& key);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_SELFTEST_RECORD_H_
