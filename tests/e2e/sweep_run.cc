#include "tests/e2e/sweep_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "coordinator/report/result_json.h"

namespace tidemark::testing {

Flags Join(const Flags& a, const Flags& b) {
  Flags all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

ProcessOptions SweepOptions(const Flags& flags) {
  ProcessOptions options;
  options.arguments = Join({TIDEMARK_BIN_DIR "/tidemark", "sweep"}, flags);
  options.environment = {"TIDEMARK_SELFTEST_FILE=/no/selftest"};  // the developer's says nothing here
  return options;
}

v1::Result ReadResult(const std::string& folder) {
  const absl::StatusOr<v1::Result> result = ReadResultJson(ReadFile(folder + "/result.json"));
  EXPECT_TRUE(result.ok()) << folder << ": " << result.status();
  return result.ok() ? *result : v1::Result();
}

std::string AllText(const std::string& folder) {
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) text += ReadFile(entry.path().string());
  }
  return text;
}

v1::LevelResult LevelOf(const v1::Result& result, uint32_t concurrency) {
  for (const v1::LevelResult& level : result.levels()) {
    if (level.concurrency() == concurrency) return level;
  }
  ADD_FAILURE() << "no level of concurrency " << concurrency << " among " << result.levels_size();
  return {};
}

bool Ran(int code) { return code == 0 || code == 4; }

uint64_t Failures(const v1::LevelResult& level, const std::string& failure_class) {
  uint64_t count = 0;
  for (const v1::FailureCount& failure : level.failures()) {
    if (failure.failure_class() == failure_class) count += failure.count();
  }
  return count;
}

SweepRun RunSweep(const std::string& url, const Flags& flags, int64_t deadline_ms,
                  const std::vector<std::string>& environment) {
  SweepRun run;
  run.folder = run.home->File("result");
  Flags all = {"--output-dir", run.folder};
  if (!url.empty()) all = Join(all, {"--url", url});
  ProcessOptions options = SweepOptions(Join(all, flags));
  options.environment.insert(options.environment.begin(), environment.begin(), environment.end());
  options.folder = run.home->path();
  run.end = RunToEnd(options, deadline_ms);
  if (std::filesystem::exists(run.folder + "/result.json")) run.result = ReadResult(run.folder);
  return run;
}

namespace {

bool Disturbed(const SweepRun& run) {
  return std::any_of(run.result.levels().begin(), run.result.levels().end(), [](const v1::LevelResult& level) {
    return level.verdict() == v1::INVALID || level.validity() == v1::VALIDITY_INVALID;
  });
}

}  // namespace

SweepRun RunUndisturbed(const std::function<SweepRun()>& run) {
  constexpr int kTries = 3;
  SweepRun last = run();
  for (int tries = 1; tries < kTries && Disturbed(last); ++tries) last = run();
  return last;
}

}  // namespace tidemark::testing
