#include "coordinator/core/result/validity.h"

#include <gtest/gtest.h>

#include "common/clock/clock.h"
#include "tests/unit/coordinator_result/level_fixture.h"

namespace tidemark {
namespace {

class Validity : public testing::Test {
 protected:
  Validity() : level_(MeasuredLevel(SpecWithLatencySla(300), 4, std::vector<double>(40, 100), 0)) {}

  SelfCheckFacts& self() { return level_.parts[0].snapshot.self_check; }
  WindowFacts& window() { return level_.parts[0].snapshot.windows[0]; }
  v1::Validity State() const { return WorstOf(CheckValidity(level_)); }
  std::string FirstReason() const { return InvalidReasons(CheckValidity(level_)).at(0); }

  LevelMeasurement level_;
};

TEST_F(Validity, AQuietGeneratorIsValid) { EXPECT_EQ(State(), v1::VALID); }

TEST_F(Validity, LoopLagAbove2MsIsSuspect) {
  self().loop_lag_us.Record(2'500, 100);
  EXPECT_EQ(State(), v1::SUSPECT);
}

TEST_F(Validity, LoopLagAbove10MsIsInvalid) {
  self().loop_lag_us.Record(50, 97);
  self().loop_lag_us.Record(90'000, 3);
  EXPECT_EQ(State(), v1::VALIDITY_INVALID);
}

TEST_F(Validity, TheReasonNamesTheAgent) {
  self().loop_lag_us.Record(90'000, 100);
  EXPECT_NE(FirstReason().find("agent-1"), std::string::npos);
}

TEST_F(Validity, AnAgentThatIsThrottledAndInvalidHadTooMuch) {
  self().wall_ns = 10 * kNanosPerSecond;
  self().cgroup_throttled_ns = self().wall_ns / 2;
  const std::vector<AgentLoad> loads = LoadsOf(level_, CheckValidity(level_));
  EXPECT_EQ(loads, (std::vector<AgentLoad>{{"agent-1", 4, 2}}));
}

TEST_F(Validity, AnAgentThatIsLateWithAnIdleLoopIsNotCuredByLess) {
  self().wall_ns = 10 * kNanosPerSecond;
  self().loop_cpu_ns = self().wall_ns / 10;
  self().loop_lag_us.Record(90'000, 100);
  const std::vector<AgentLoad> loads = LoadsOf(level_, CheckValidity(level_));
  EXPECT_EQ(loads, (std::vector<AgentLoad>{{"agent-1", 4, 4}}));
}

TEST_F(Validity, AnAgentThatIsLateWithABusyLoopHadTooMuch) {
  self().wall_ns = 10 * kNanosPerSecond;
  self().loop_cpu_ns = 8 * kNanosPerSecond;
  self().loop_lag_us.Record(90'000, 100);
  EXPECT_TRUE(LoadsOf(level_, CheckValidity(level_))[0].TooMuch());
}

TEST_F(Validity, AnAgentsCauseComesFirstAndItsCureOnce) {
  self().wall_ns = 10 * kNanosPerSecond;
  self().cgroup_throttled_ns = self().wall_ns / 2;
  self().loop_lag_us.Record(90'000, 100);
  const std::vector<std::string> reasons = InvalidReasons(CheckValidity(level_));
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_NE(reasons[0].find("throttled by its CPU limit for 50.0 % of the time: raise the limit"), std::string::npos);
  EXPECT_EQ(reasons[1].find("add an agent"), std::string::npos);
}

TEST_F(Validity, ALoopAt96PercentOfACoreIsInvalid) {
  self().wall_ns = 10 * kNanosPerSecond;
  self().loop_cpu_ns = 96 * self().wall_ns / 100;
  EXPECT_EQ(State(), v1::VALIDITY_INVALID);
}

TEST_F(Validity, AnyThrottlingIsSuspect) {
  self().wall_ns = 10 * kNanosPerSecond;
  self().cgroup_throttled_ns = kNanosPerMilli;
  EXPECT_EQ(State(), v1::SUSPECT);
}

TEST_F(Validity, InFlightBelow95PercentIsInvalid) {
  window().in_flight_integral_ns = window().in_flight_integral_ns * 94 / 100;
  window().ended_sojourn_ns = window().in_flight_integral_ns;
  EXPECT_EQ(State(), v1::VALIDITY_INVALID);
}

TEST_F(Validity, SlotsBackingOffFromARefusingEndpointAreNoFaultOfTheGenerator) {
  const uint64_t whole = window().in_flight_integral_ns;
  window().in_flight_integral_ns = window().ended_sojourn_ns = whole / 2;
  window().backoff_ns = whole - whole / 2;
  EXPECT_EQ(State(), v1::VALID);
}

TEST_F(Validity, InFlightIsNotAskedForWhenThereWereFewerRequestsThanSlots) {
  window().measured_requests = 3;
  window().in_flight_integral_ns /= 2;
  window().ended_sojourn_ns = window().in_flight_integral_ns;
  EXPECT_EQ(State(), v1::VALID);
}

TEST_F(Validity, BookKeepingOffByOnePercentIsInvalid) {
  window().ended_sojourn_ns = window().ended_sojourn_ns * 101 / 100;
  EXPECT_EQ(State(), v1::VALIDITY_INVALID);
}

TEST_F(Validity, ALoopSilentForOver2SecondsIsInvalid) {
  level_.parts[0].loop_silent_ms = 2'001;
  EXPECT_EQ(State(), v1::VALIDITY_INVALID);
}

TEST_F(Validity, OneFreezeOfOver2SecondsIsInvalid) {
  self().loop_lag_us.Record(50, 100'000);
  self().loop_lag_us.Record(2'900'000);
  EXPECT_EQ(State(), v1::VALIDITY_INVALID);
}

class AddressBalance : public Validity {
 protected:
  // `slots` slots on as many addresses as there are counts of requests.
  void Serve(uint32_t slots, const std::vector<uint64_t>& requests) {
    AgentPart& part = level_.parts[0];
    part.share.slots = slots;
    for (size_t i = 0; i < requests.size(); ++i) {
      part.addresses.push_back("h:" + std::to_string(i));
      if (requests[i] > 0) part.facts.addresses[part.addresses.back()].requests = requests[i];
    }
  }
};

TEST_F(AddressBalance, AnOddNumberOfSlotsIsOwedUnequally) {
  Serve(3, {80, 40});
  EXPECT_EQ(State(), v1::VALID);
}

TEST_F(AddressBalance, ALessServedAddressIsSuspect) {
  Serve(4, {80, 40});
  EXPECT_EQ(State(), v1::SUSPECT);
}

TEST_F(AddressBalance, AnAddressThatGotNoRequestIsSuspect) {
  Serve(4, {80, 0});
  EXPECT_EQ(State(), v1::SUSPECT);
}

TEST_F(AddressBalance, FewRequestsSayNothing) {
  Serve(4, {25, 10});
  EXPECT_EQ(State(), v1::VALID);
}

TEST_F(AddressBalance, AddressesOfSeveralUrlsAreNotCompared) {
  Serve(4, {80, 0});
  EXPECT_EQ(WorstOf(CheckValidity(level_, 2)), v1::VALID);
}

TEST_F(Validity, AgentsWithoutSlotsTakeNoPart) {
  level_.parts[0].share.slots = 0;
  self().loop_lag_us.Record(90'000, 100);
  EXPECT_EQ(State(), v1::VALID);
}

}  // namespace
}  // namespace tidemark
