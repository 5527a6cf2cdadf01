#include "coordinator/core/result/agent_validity.h"

#include <gtest/gtest.h>

#include <ostream>

#include "absl/strings/match.h"
#include "common/clock/clock.h"
#include "tests/unit/coordinator_result/level_fixture.h"

namespace tidemark {
namespace {

constexpr uint64_t kWall = 10 * kNanosPerSecond;

// An agent of 100 slots that measured for 10 s with nothing in its way.
AgentPart QuietAgent() {
  AgentPart part = MeasuredLevel(SpecWithLatencySla(300), 100, std::vector<double>(200, 100), 0).parts[0];
  SelfCheckFacts& self = part.snapshot.self_check;
  self.wall_ns = kWall;
  self.descriptors_limit = 1'000;
  self.ports_limit = 1'000;
  part.addresses = {"h:1"};
  return part;
}

void Load(AgentPart& part, double in_flight) {
  WindowFacts& window = part.snapshot.windows[0];
  window.in_flight_integral_ns = static_cast<uint64_t>(window.in_flight_integral_ns * in_flight);
  window.ended_sojourn_ns = window.in_flight_integral_ns;
}

void ReadLate(AgentPart& part, uint64_t micros) {
  part.snapshot.self_check.reader_delay_us.Record(micros, 1'000);
  part.snapshot.self_check.reads = 1'000;
}

// Of the measure; VALID when it was not taken.
v1::Validity StateOf(const AgentPart& part, const std::string& measure) {
  for (const v1::ValidityCheck& check : CheckAgent(part)) {
    if (check.measure() == measure) return check.state();
  }
  return v1::VALID;
}

std::string AdviceOf(const AgentPart& part, const std::string& measure) {
  for (const v1::ValidityCheck& check : CheckAgent(part)) {
    if (check.measure() == measure) return check.advice();
  }
  return "";
}

struct Row {
  std::string name;
  std::string measure;
  void (*disturb)(AgentPart&, SelfCheckFacts&);
  v1::Validity want;
};
std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

class Measures : public testing::TestWithParam<Row> {};

TEST_P(Measures, AreJudged) {
  AgentPart part = QuietAgent();
  GetParam().disturb(part, part.snapshot.self_check);
  EXPECT_EQ(StateOf(part, GetParam().measure), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    , Measures,
    testing::Values(
        Row{"LittleReaderDelay", "reader_delay_p99_ms", [](AgentPart& p, SelfCheckFacts&) { ReadLate(p, 1'900); }, v1::VALID},
        Row{"ReaderDelay", "reader_delay_p99_ms", [](AgentPart& p, SelfCheckFacts&) { ReadLate(p, 3'100); }, v1::SUSPECT},
        Row{"GreatReaderDelayAtFullLoad", "reader_delay_p99_ms",
            [](AgentPart& p, SelfCheckFacts&) { ReadLate(p, 20'000); }, v1::SUSPECT},
        Row{"GreatReaderDelayThatCostLoad", "reader_delay_p99_ms",
            [](AgentPart& p, SelfCheckFacts&) {
              ReadLate(p, 20'000);
              Load(p, 0.97);
            },
            v1::VALIDITY_INVALID},
        Row{"SendLateness", "send_lateness_p99_ms",
            [](AgentPart&, SelfCheckFacts& s) { s.send_lateness_us.Record(12'000, 10); }, v1::SUSPECT},
        Row{"GreatSendLateness", "send_lateness_p99_ms",
            [](AgentPart&, SelfCheckFacts& s) { s.send_lateness_us.Record(120'000, 10); }, v1::VALIDITY_INVALID},
        Row{"Turnaround", "slot_turnaround_p99_ms",
            [](AgentPart&, SelfCheckFacts& s) { s.slot_turnaround_us.Record(12'000, 10); }, v1::SUSPECT},
        Row{"GreatTurnaround", "slot_turnaround_p99_ms",
            [](AgentPart&, SelfCheckFacts& s) { s.slot_turnaround_us.Record(120'000, 10); }, v1::VALIDITY_INVALID},
        Row{"WaitForACore", "run_queue_wait_fraction",
            [](AgentPart&, SelfCheckFacts& s) { s.run_queue_wait_ns = kWall / 4; }, v1::SUSPECT},
        Row{"LongWaitForACore", "run_queue_wait_fraction",
            [](AgentPart&, SelfCheckFacts& s) { s.run_queue_wait_ns = kWall * 6 / 10; }, v1::VALIDITY_INVALID},
        Row{"UnreadBytes", "unread_socket_bytes",
            [](AgentPart&, SelfCheckFacts& s) { s.unread_socket_bytes_max = 65'537; }, v1::SUSPECT},
        Row{"ManyUnreadBytes", "unread_socket_bytes",
            [](AgentPart&, SelfCheckFacts& s) { s.unread_socket_bytes_max = 1'048'577; }, v1::VALIDITY_INVALID},
        Row{"EnoughDescriptors", "descriptors_left",
            [](AgentPart&, SelfCheckFacts& s) { s.descriptors_used_max = 936; }, v1::VALID},
        Row{"FewDescriptors", "descriptors_left",
            [](AgentPart&, SelfCheckFacts& s) { s.descriptors_used_max = 937; }, v1::SUSPECT},
        Row{"NoDescriptors", "descriptors_left",
            [](AgentPart&, SelfCheckFacts& s) { s.descriptors_used_max = 1'000; }, v1::VALIDITY_INVALID},
        Row{"MostPorts", "ports_fraction",
            [](AgentPart&, SelfCheckFacts& s) { s.connections_open_max = 901; }, v1::SUSPECT},
        Row{"AllPorts", "ports_fraction",
            [](AgentPart&, SelfCheckFacts& s) { s.connections_open_max = 1'000; }, v1::VALIDITY_INVALID},
        Row{"PortsOfTwoAddresses", "ports_fraction",
            [](AgentPart& p, SelfCheckFacts& s) {
              s.connections_open_max = 1'000;
              p.addresses.push_back("h:2");
            },
            v1::VALID},
        Row{"OneQueuedInside", "queued_inside_fraction",
            [](AgentPart&, SelfCheckFacts& s) { s.queued_inside = 1; }, v1::SUSPECT},
        Row{"ManyQueuedInside", "queued_inside_fraction",
            [](AgentPart&, SelfCheckFacts& s) { s.queued_inside = 3; }, v1::VALIDITY_INVALID}),
    [](const testing::TestParamInfo<Row>& info) { return info.param.name; });

TEST(AgentValidity, LeavesOutWhatWasNotSeen) {
  AgentPart part = QuietAgent();
  part.snapshot.self_check = SelfCheckFacts();
  for (const v1::ValidityCheck& check : CheckAgent(part)) {
    EXPECT_EQ(check.measure().find("reader_delay"), std::string::npos);
    EXPECT_EQ(check.measure().find("descriptors"), std::string::npos);
  }
}

TEST(AgentValidity, ItsAdviceSaysHowFarOffAndHowManyRequestsItCarries) {
  AgentPart part = QuietAgent();
  part.agent = "agent-2";
  ReadLate(part, 3'100);
  const std::string advice = AdviceOf(part, "reader_delay_p99_ms");
  EXPECT_TRUE(absl::StartsWith(advice, "agent-2 read 3.1 ms late at p99: add an agent, or ask for at most 90 ")) << advice;
}

TEST(AgentValidity, ALagOfStampedReadsIsNotSaidToSpoilTheirTimes) {
  AgentPart part = QuietAgent();
  part.snapshot.self_check.loop_lag_us.Record(3'000, 100);
  EXPECT_NE(AdviceOf(part, "loop_lag_p99_ms").find("its times are that far off"), std::string::npos);
  ReadLate(part, 10);
  EXPECT_EQ(AdviceOf(part, "loop_lag_p99_ms").find("its times are that far off"), std::string::npos);
}

TEST(AgentValidity, AgesAtTheWindowsEdgesBelongToLittlesLaw) {
  AgentPart part = QuietAgent();
  WindowFacts& window = part.snapshot.windows[0];
  window.edge_age_start_ns = 500'000'000;
  window.edge_age_end_ns = 500'000'000;
  EXPECT_EQ(LittleResidual(window), 0);
}

TEST(CarriedSlots, AreFewerThanWereTooMany) { EXPECT_EQ(CarriedSlots(QuietAgent()), 90u); }

TEST(CarriedSlots, LeaveABusyLoopRoom) {
  AgentPart part = QuietAgent();
  part.snapshot.self_check.loop_cpu_ns = kWall;
  EXPECT_EQ(CarriedSlots(part), 70u);
}

TEST(CarriedSlots, AreInProportionToTheTimeThatWasNotThrottled) {
  AgentPart part = QuietAgent();
  part.snapshot.self_check.cgroup_throttled_ns = kWall * 8 / 10;
  EXPECT_EQ(CarriedSlots(part), 19u);
}

TEST(CarriedSlots, AreNoMoreThanWereKeptBusy) {
  AgentPart part = QuietAgent();
  Load(part, 0.5);
  EXPECT_EQ(CarriedSlots(part), 50u);
}

TEST(CarriedSlots, AreOneAtLeast) {
  AgentPart part = QuietAgent();
  part.snapshot.self_check.cgroup_throttled_ns = 2 * kWall;
  EXPECT_EQ(CarriedSlots(part), 1u);
}

}  // namespace
}  // namespace tidemark
