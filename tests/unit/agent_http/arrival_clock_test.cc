#include "agent/http/arrival_clock.h"

namespace tidemark {
namespace {

constexpr int64_t kMilli = kNanosPerMilli;
constexpr int64_t kHour = 3'600 * kNanosPerSecond;
constexpr int64_t kEpoch = 1'750'000'000 * kNanosPerSecond;

// Two clocks of which the calendar can be set.
class SettableClock final : public Clock {
 public:
  int64_t MonotonicNanos() const override { return nanos; }
  int64_t WallNanos() const override {
    ++readings;
    return nanos + offset;
  }

  int64_t nanos = 100 * kNanosPerSecond;
  int64_t offset = kEpoch;
  mutable int readings = 0;
};

class ArrivalClockTest : public ::testing::Test {
 protected:
  // The kernel's stamp of bytes that came at `at`, by the calendar as it is now.
  int64_t Stamp(int64_t at) const { return at + clock_.offset; }
  // Bytes that came `ago` are read now, on a socket on which there was something `before` that.
  std::optional<int64_t> Age(int64_t ago, int64_t before = kNanosPerSecond) {
    return AgeOf(Stamp(clock_.nanos - ago), ago + before);
  }
  std::optional<int64_t> AgeOf(int64_t stamp, int64_t oldest) {
    const auto at = arrival_.Arrival(stamp, clock_.nanos - oldest, clock_.nanos);
    if (!at) return std::nullopt;
    return clock_.nanos - *at;
  }

  SettableClock clock_;
  ArrivalClock arrival_{&clock_};
};

TEST_F(ArrivalClockTest, TellsWhenBytesCameOnTheMonotonicClock) { EXPECT_EQ(Age(30 * kMilli), 30 * kMilli); }

TEST_F(ArrivalClockTest, SeesTheCalendarSetBackByAStampThatIsTooOld) {
  clock_.offset -= kHour;
  EXPECT_EQ(Age(30 * kMilli), 30 * kMilli);
}

TEST_F(ArrivalClockTest, SeesTheCalendarSetForwardByAStampOfTheFuture) {
  clock_.offset += kHour;
  EXPECT_EQ(Age(30 * kMilli), 30 * kMilli);
}

TEST_F(ArrivalClockTest, SeesASmallStepWithinASecond) {
  clock_.offset -= 5 * kMilli;
  clock_.nanos += ArrivalClock::kSampleEvery;
  EXPECT_EQ(Age(30 * kMilli), 30 * kMilli);
}

TEST_F(ArrivalClockTest, AStampOfBeforeTheCalendarWasSetKeepsItsMeaning) {
  const int64_t old = Stamp(clock_.nanos);
  clock_.nanos += 30 * kMilli;
  clock_.offset += kHour;
  EXPECT_EQ(Age(kMilli), kMilli);
  EXPECT_EQ(AgeOf(old, kNanosPerSecond), 30 * kMilli);
}

TEST_F(ArrivalClockTest, AStampThatNoCalendarExplainsSaysNothing) {
  EXPECT_EQ(AgeOf(Stamp(clock_.nanos) - kHour, kNanosPerSecond), std::nullopt);
  EXPECT_EQ(AgeOf(Stamp(clock_.nanos) + kHour, kNanosPerSecond), std::nullopt);
}

TEST_F(ArrivalClockTest, AReadingThatCrossesByMicrosecondsIsNow) { EXPECT_EQ(Age(-5'000), 0); }

TEST_F(ArrivalClockTest, BytesOfJustBeforeTheEarliestCameThen) { EXPECT_EQ(Age(30 * kMilli, -5'000), 30 * kMilli - 5'000); }

TEST_F(ArrivalClockTest, BytesThatCameSinceTheClockWasReadAreNotOfTheFuture) {
  const int64_t read = clock_.nanos;
  clock_.nanos += kMilli;
  EXPECT_EQ(arrival_.Arrival(Stamp(clock_.nanos), 0, read), clock_.nanos);
}

TEST_F(ArrivalClockTest, ReadsTheCalendarOnceASecond) {
  const int before = clock_.readings;
  for (int i = 0; i < 1'000; ++i) {
    clock_.nanos += 2 * kMilli;
    Age(kMilli);
  }
  EXPECT_EQ(clock_.readings - before, 2);
}

}  // namespace
}  // namespace tidemark
