// The agent's and the coordinator's machines over streams and processes that fail in every way that a seed can think of.
// TIDEMARK_SESSION_SEEDS=n tries n of them instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/unit/session_property/session_world.h"

namespace tidemark {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kSeeds = 400;  // twenty times slower
#else
constexpr uint64_t kSeeds = 10'000;
#endif

uint64_t Seeds(uint64_t most) {
  uint64_t seeds = 0;
  const char* wanted = std::getenv("TIDEMARK_SESSION_SEEDS");
  return wanted != nullptr && absl::SimpleAtoi(wanted, &seeds) ? seeds : most;
}

// What happened in this world, for whom a test of it failed.
std::string Story(WorldOptions options) {
  options.trace = true;
  SessionWorld world(options);
  world.Run();
  return absl::StrJoin(world.trace(), "\n");
}

std::string Fingerprint(const WorldOptions& options) {
  SessionWorld world(options);
  world.Run();
  return world.fingerprint();
}

TEST(Session, FaultsNeverChangeWhatACompletedLevelHolds) {
  const uint64_t seeds = Seeds(kSeeds);
  size_t levels = 0, voids = 0, completed = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    WorldOptions options;
    options.seed = seed;
    SessionWorld world(options);
    world.Run();
    ASSERT_EQ(absl::StrJoin(world.violations(), "; "), "") << "seed " << seed << "\n" << Story(options);
    levels += world.levels_done();
    voids += world.voids();
    completed += world.end()->end == JobEnd::kCompleted;
  }
  // These worlds are hard, and still most jobs get through.
  EXPECT_GT(voids, seeds / 4);
  EXPECT_GT(completed, seeds / 2);
  EXPECT_GT(levels, seeds);
}

TEST(Session, StreamsThatBreakForLessThanTheLeaseVoidNothing) {
  const uint64_t seeds = Seeds(kSeeds / 10);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    WorldOptions options;
    options.seed = seed;
    options.gentle = true;
    SessionWorld world(options);
    world.Run();
    ASSERT_EQ(absl::StrJoin(world.violations(), "; "), "") << "seed " << seed << "\n" << Story(options);
    ASSERT_EQ(world.voids(), 0u) << "seed " << seed << "\n" << Story(options);
    ASSERT_EQ(world.levels_done(), world.levels_asked()) << "seed " << seed << "\n" << Story(options);
  }
}

TEST(Session, ClocksThatAreHoursApartChangeNothing) {
  const uint64_t seeds = Seeds(kSeeds / 20);
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    WorldOptions apart, one;
    apart.seed = one.seed = seed;
    one.one_clock = true;
    ASSERT_EQ(Fingerprint(apart), Fingerprint(one)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark
