// An agent that is given 20 % of a core, at a load that needs more, gives no verdict on the endpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/e2e/sweep_run.h"

namespace tidemark::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// 50,000 events/s: two or three times what 20 % of a core can read. The objective is far below what such an agent sees,
// so a level that counted would FAIL.
const Flags kEndpoint = {"--null", "--delay-ms", "100", "--itl-ms", "20"};
const Flags kLoad = {"--concurrency", "1000", "--request-count", "2000", "--isl", "16", "--osl", "32",
                     "--e2e-sla-ms", "750"};

// A control group of version 1 with 20 % of a core, where this machine lets one be made.
class CpuQuota {
 public:
  CpuQuota() : folder_("/sys/fs/cgroup/cpu/tidemark-test-" + std::to_string(::getpid())) {
    made_ = ::mkdir(folder_.c_str(), 0755) == 0 && Put("cpu.cfs_period_us", "100000") &&
            Put("cpu.cfs_quota_us", "20000");
  }
  ~CpuQuota() { ::rmdir(folder_.c_str()); }
  CpuQuota(const CpuQuota&) = delete;
  CpuQuota& operator=(const CpuQuota&) = delete;

  bool made() const { return made_; }
  // What runs `command` inside.
  std::vector<std::string> Inside(const std::vector<std::string>& command) const {
    std::vector<std::string> all = {"/bin/sh", "-c", "echo $$ > " + folder_ + "/cgroup.procs && exec \"$@\"", "sh"};
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }

 private:
  bool Put(const char* file, const char* value) const {
    std::ofstream out(folder_ + "/" + file);
    out << value;
    out.close();
    return !out.fail();
  }

  const std::string folder_;
  bool made_ = false;
};

// Lets the program run for a fifth of the time.
void Duty(Process* process) {
  process->Signal(SIGCONT);
  PauseMs(20);
  process->Signal(SIGSTOP);
  PauseMs(80);
}

SweepRun RunThrottled(const SimulatorProcess& endpoint) {
  SweepRun run;
  run.folder = run.home->File("result");
  ProcessOptions options = SweepOptions(Join(kLoad, {"--url", endpoint.url(), "--output-dir", run.folder}));
  const CpuQuota quota;
  std::cout << "throttled by " << (quota.made() ? "a cgroup's quota" : "SIGSTOP and SIGCONT") << "\n";
  if (quota.made()) options.arguments = quota.Inside(options.arguments);
  Process sweep(options);
  const int64_t deadline = NowMs() + 150'000;
  while (!sweep.Wait(quota.made() ? 100 : 0) && NowMs() < deadline) {
    if (!quota.made()) Duty(&sweep);
  }
  run.end.code = sweep.Wait(0).value_or(-1);
  run.end.out = sweep.out();
  run.end.err = sweep.err();
  run.result = ReadResult(run.folder);
  return run;
}

class ThrottledAgentTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const SimulatorProcess endpoint(kEndpoint);
    run_ = new SweepRun(RunThrottled(endpoint));
  }
  static void TearDownTestSuite() { delete run_; }
  static v1::LevelResult Level() { return LevelOf(run_->result, 1000); }

  static inline SweepRun* run_ = nullptr;
};

TEST_F(ThrottledAgentTest, LevelIsInvalidAndDoesNotFail) {
  EXPECT_EQ(Level().verdict(), v1::INVALID) << run_->all_output();
  EXPECT_EQ(run_->end.code, 4) << run_->all_output();
}

TEST_F(ThrottledAgentTest, ReasonIsTheAgentsOwnLackOfTime) {
  std::vector<std::string> invalid;
  const v1::LevelResult level = Level();
  for (const v1::ValidityCheck& check : level.validity_checks()) {
    if (check.state() == v1::VALIDITY_INVALID) invalid.push_back(check.measure());
  }
  EXPECT_THAT(invalid, ::testing::Contains(AnyOf("cgroup_throttled_fraction", "loop_lag_p99_ms", "loop_cpu_fraction")));
}

TEST_F(ThrottledAgentTest, AnswerSaysThatTheAgentWasTheLimit) {
  EXPECT_THAT(run_->end.out, HasSubstr("INVALID")) << run_->all_output();
  EXPECT_THAT(run_->all_output(), HasSubstr("local")) << run_->all_output();
}

}  // namespace
}  // namespace tidemark::testing
