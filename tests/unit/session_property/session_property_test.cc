// The agent's and the coordinator's machines over streams and processes that fail in every way that a seed can think of.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_join.h"
#include "tests/unit/session_property/session_world.h"

namespace tidemark {
namespace {

constexpr uint64_t kSeeds = 10'000;

std::string Story(WorldOptions options) {
  options.trace = true;
  SessionWorld world(options);
  world.Run();
  return absl::StrJoin(world.trace(), "\n");
}

void Check(const WorldOptions& options, const SessionWorld& world) {
  EXPECT_TRUE(world.violations().empty())
      << "seed " << options.seed << ": " << absl::StrJoin(world.violations(), "; ") << "\n" << Story(options);
}

TEST(Session, FaultsNeverChangeWhatACompletedLevelHolds) {
  size_t levels = 0, voids = 0, completed = 0;
  for (uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    const WorldOptions options{seed, /*gentle=*/false, /*trace=*/false};
    SessionWorld world(options);
    world.Run();
    Check(options, world);
    levels += world.levels_done();
    voids += world.voids();
    completed += world.end() && world.end()->end == JobEnd::kCompleted;
  }
  // So that these worlds are what they are meant to be: hard, and lived through by most.
  EXPECT_GT(voids, kSeeds / 10);
  EXPECT_GT(completed, kSeeds / 2);
  RecordProperty("levels", static_cast<int>(levels));
}

}  // namespace
}  // namespace tidemark
