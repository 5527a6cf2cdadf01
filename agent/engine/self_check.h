#ifndef TIDEMARK_AGENT_ENGINE_SELF_CHECK_H_
#define TIDEMARK_AGENT_ENGINE_SELF_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/clock/clock.h"
#include "common/measurement/facts.h"

namespace tidemark {

// What the kernel says of being kept from running. Zero where it does not say.
struct CgroupThrottling {
  uint64_t throttled_ns = 0, periods = 0, throttled_periods = 0;
};

// Of a cpu.stat file's text, cgroup v1 (throttled_time, ns) or v2 (throttled_usec).
CgroupThrottling ParseCpuStat(absl::string_view text);
// Second number of a schedstat file's text: ns spent runnable but waiting for a core.
uint64_t ParseRunQueueWait(absl::string_view text);
// Path of this process's cpu.stat, of the text of /proc/self/cgroup; `exists` says which files
// there are.
std::string CpuStatPath(absl::string_view proc_self_cgroup,
                        bool (*exists)(const std::string& path));

// Of this process, now.
CgroupThrottling ReadCgroupThrottling();
uint64_t OpenDescriptors();

// Is the generator the limit? Takes the figures of a loop's thread between Begin and End, both
// called on that thread.
class SelfCheck {
 public:
  explicit SelfCheck(const Clock* clock) : clock_(clock) {}

  void Begin();
  // Adds what has passed since Begin to `facts`; the first call counts. No-op without Begin.
  void End(SelfCheckFacts* facts);

 private:
  struct Sample {
    int64_t wall_ns = 0, cpu_ns = 0;
    uint64_t run_queue_wait_ns = 0;
    CgroupThrottling throttling;
    uint64_t descriptors = 0;
  };
  Sample Take() const;

  const Clock* const clock_;
  bool running_ = false;
  Sample begin_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_SELF_CHECK_H_
