#include "coordinator/core/agents/agent_hub.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/coordinator_agents/hub_scenario.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kWelcome[] = "1 <- Welcome, lease 5000 ms";
// Longer than a string keeps in place, so that a use after it was freed shows.
constexpr char kLongName[] = "agent-with-a-rather-long-name-0001";

// ---- who is let in ------------------------------------------------------------------------------

TEST(AgentHub, WelcomesAnAgentWithItsEpochAndLease) {
  HubScenario s;
  EXPECT_THAT(s.Join(1, "a"), ElementsAre(kWelcome, "joined a"));
  EXPECT_EQ(DecodeEpoch(s.last_sent().welcome().epoch()), (SessionEpoch{"s", 1}));
}

TEST(AgentHub, RefusesAnotherMajorVersionForGoodNamingBoth) {
  HubScenario s;
  s.Open(1);
  v1::Hello hello = HubScenario::HelloOf("a");
  hello.set_protocol_major(9);
  EXPECT_THAT(s.SayHello(1, hello),
              ElementsAre("1 <- Refused for good: agent a speaks protocol 9.0 and this coordinator 1.0: run the "
                          "same release of both",
                          "close 1: refused"));
}

TEST(AgentHub, RefusesAHelloThatIsNotValidForGood) {
  HubScenario s;
  s.Open(1);
  v1::Hello hello = HubScenario::HelloOf("a");
  hello.set_weight(-1);
  EXPECT_THAT(s.SayHello(1, hello),
              ElementsAre("1 <- Refused for good: hello.weight is -1: a number from 1e-06 to 1e+12", "close 1: refused"));
}

TEST(AgentHub, RefusesASecondLiveProcessOfAnIdUntilTheLeaseLapses) {
  HubScenario s;
  s.Join(1, "a", "1");
  EXPECT_THAT(s.Join(2, "a", "2"),
              ElementsAre("2 <- Refused: agent a is already here as another process: give this one another --id, "
                          "or wait 5 s for the other's lease to lapse",
                          "close 2: refused"));
  s.Close(1);
  EXPECT_THAT(s.Wait(5), ElementsAre("lost a: its lease lapsed"));
  EXPECT_THAT(s.Join(3, "a", "2"), ElementsAre("3 <- Welcome, lease 5000 ms", "joined a"));
}

TEST(AgentHub, ANewProcessLosesTheOldOneWhoseLeaseLapsedUnseen) {
  HubScenario s;
  s.Join(1, "a", "1");
  s.hub().StreamOpened(2, "", s.now() + 6 * kSecond);
  s.hub().TakeEffects();
  EXPECT_THAT(s.Beat(1), IsEmpty());  // its stream was closed with it
  EXPECT_THAT(s.SayHello(2, HubScenario::HelloOf("a", "2")),
              ElementsAre("2 <- Welcome, lease 5000 ms", "joined a"));
}

TEST(AgentHub, RefusesAnIdThatIsNotTheCertificatesForGood) {
  HubScenario s;
  s.Open(1, "b");
  EXPECT_THAT(s.SayHello(1, HubScenario::HelloOf("a")),
              ElementsAre("1 <- Refused for good: hello.agent_id is a, and its certificate is that of agent b: start "
                          "it with --id b or give it a certificate of its own",
                          "close 1: refused"));
}

TEST(AgentHub, WelcomesTheIdOfTheCertificate) {
  HubScenario s;
  s.Open(1, "a");
  EXPECT_THAT(s.SayHello(1, HubScenario::HelloOf("a")), ElementsAre(kWelcome, "joined a"));
}

TEST(AgentHub, RefusesMoreAgentsThanItTakesForNowNamingTheLimit) {
  HubScenario s;
  for (StreamId stream : {1, 2, 3}) s.Join(stream, absl::StrCat("a", stream));
  EXPECT_THAT(s.Join(4, "a4"),
              ElementsAre("4 <- Refused: agent a4 is one more than the 3 agents that this coordinator takes: raise its "
                          "--max-agents",
                          "close 4: refused"));
}

TEST(AgentHub, AnAgentThatIsAmongTheMostMayComeBack) {
  HubScenario s;
  for (StreamId stream : {1, 2, 3}) s.Join(stream, absl::StrCat("a", stream));
  s.Close(2);
  EXPECT_THAT(s.Join(4, "a2"), ElementsAre("4 <- Welcome, lease 5000 ms", "returned a2"));
}

TEST(AgentHub, StreamsThatNeverSayHelloAreBounded) {
  HubScenario s;
  for (StreamId stream = 1; stream <= 12; ++stream) EXPECT_THAT(s.Open(stream), IsEmpty());
  EXPECT_THAT(s.Open(13), ElementsAre("close 13: there are too many streams: try again later"));
}

// ---- streams and leases -------------------------------------------------------------------------

TEST(AgentHub, AStreamWithoutHelloIsClosedAfterTenSeconds) {
  HubScenario s;
  s.Open(1);
  EXPECT_THAT(s.Wait(9.9), IsEmpty());
  EXPECT_THAT(s.Wait(0.1), ElementsAre("close 1: no Hello in time"));
  EXPECT_EQ(s.hub().NextWake(), std::nullopt);
}

TEST(AgentHub, WhoSpeaksBeforeHelloIsCutOff) {
  HubScenario s;
  s.Open(1);
  EXPECT_THAT(s.Beat(1), ElementsAre("close 1: say Hello first"));
}

TEST(AgentHub, ASecondHelloOnAStreamIsNotTaken) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_THAT(s.SayHello(1, HubScenario::HelloOf("b")), ElementsAre("close 1: Hello is said once on a stream"));
}

TEST(AgentHub, TheSameProcessOnANewStreamHasReturned) {
  HubScenario s;
  s.Join(1, "a");
  s.Close(1);
  EXPECT_THAT(s.Join(2, "a"), ElementsAre("2 <- Welcome, lease 5000 ms", "returned a"));
}

TEST(AgentHub, TheOldStreamIsClosedWhenTheAgentIsBackBeforeItBroke) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_THAT(s.Join(2, "a"), ElementsAre("close 1: the agent came back on a new stream",
                                          "2 <- Welcome, lease 5000 ms", "returned a"));
  EXPECT_THAT(s.Close(1), IsEmpty());
  EXPECT_FALSE(s.hub().Agents().at(0).cut_off);
}

TEST(AgentHub, LateWordsOfAClosedStreamChangeNothing) {
  HubScenario s;
  s.Join(1, "a");
  s.Join(2, "a");
  s.EnterLevel(1, {"a"});
  EXPECT_THAT(s.Report(1, 1), IsEmpty());
  EXPECT_THAT(s.Report(2, 1), ElementsAre("facts a sent 1", "2 <- DeltaAck 1"));
}

TEST(AgentHub, ABrokenStreamIsNoLossUntilTheLeaseLapses) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_THAT(s.Close(1), IsEmpty());
  EXPECT_TRUE(s.hub().Agents().at(0).cut_off);
  EXPECT_THAT(s.Wait(4.9), IsEmpty());
  EXPECT_THAT(s.Wait(0.1), ElementsAre("lost a: its lease lapsed"));
  EXPECT_THAT(s.hub().Agents(), IsEmpty());
}

TEST(AgentHub, HeartbeatsKeepTheLease) {
  HubScenario s;
  s.Join(1, "a");
  for (uint64_t number = 1; number <= 5; ++number) {
    EXPECT_THAT(s.Wait(4), IsEmpty());
    EXPECT_THAT(s.Beat(1, number), ElementsAre(absl::StrCat("1 <- HeartbeatAck ", number)));
  }
  EXPECT_THAT(s.Wait(5), ElementsAre("close 1: its lease lapsed", "lost a: its lease lapsed"));
}

TEST(AgentHub, OtherMessagesDoNotKeepTheLease) {
  HubScenario s;
  s.Join(1, "a");
  s.Wait(4);
  s.Pong(1, 1, 7);
  EXPECT_THAT(s.Wait(1), ElementsAre("close 1: its lease lapsed", "lost a: its lease lapsed"));
}

TEST(AgentHub, AHeartbeatOfAnotherEpochIsCountedAndNotAnswered) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_THAT(s.Beat(1, 1, /*epoch=*/2), IsEmpty());
  EXPECT_EQ(s.hub().stale_messages(), 1u);
}

TEST(AgentHub, ALoopThatIsSilentForLongIsSaidWithTheLongestSilence) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_THAT(s.Beat(1, 1, 1, {2'000}), ElementsAre("1 <- HeartbeatAck 1"));
  EXPECT_THAT(s.Beat(1, 2, 1, {2'001, 7'000, 3}), ElementsAre("1 <- HeartbeatAck 2", "silent a 7000"));
}

TEST(AgentHub, WhatIsToldToAnAgentThatIsCutOffIsDropped) {
  HubScenario s;
  s.Join(1, "a");
  s.Close(1);
  v1::CoordinatorMessage stop;
  stop.mutable_stop();
  s.hub().Tell("a", stop);
  s.hub().Tell("nobody", stop);
  EXPECT_THAT(s.Wait(0), IsEmpty());
}

TEST(AgentHub, ALostAgentIsClosedAndMayJoinAtOnce) {
  HubScenario s;
  s.Join(1, kLongName);
  EXPECT_THAT(s.Lose(s.hub().Agents().at(0).info.id, "it lies"),
              ElementsAre("close 1: it lies", absl::StrCat("lost ", kLongName, ": it lies")));
  EXPECT_THAT(s.Join(2, kLongName, "2"),
              ElementsAre("2 <- Welcome, lease 5000 ms", absl::StrCat("joined ", kLongName)));
}

TEST(AgentHub, AnAgentThatLeavesIsLostAtOnceAndItsIdIsFree) {
  HubScenario s;
  s.Join(1, "a");
  v1::AgentMessage message;
  message.mutable_leaving()->set_reason("SIGTERM");
  EXPECT_THAT(s.Say(1, message), ElementsAre("close 1: it left: SIGTERM", "lost a: it left: SIGTERM"));
  EXPECT_THAT(s.Join(2, "a", "2"), ElementsAre("2 <- Welcome, lease 5000 ms", "joined a"));
}

// ---- clocks -------------------------------------------------------------------------------------

TEST(AgentHub, PingsTellHowFarAnAgentsClockIsOff) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_EQ(s.hub().Agents().at(0).clock_offset_and_error, std::nullopt);
  const int64_t sent = s.now();
  s.Wait(0.002);
  s.Pong(1, 1, static_cast<uint64_t>(sent + 1'000'000 + 3'600 * kSecond));
  EXPECT_EQ(s.hub().ClockOffsetOf("a"), 3'600 * kSecond);
  EXPECT_EQ(s.hub().ClockErrorOf("a"), 1'000'000);
}

TEST(AgentHub, TheFirstPingComesBeforeWelcome) {
  HubScenario s;
  s.hub().StreamOpened(1, "", s.now());
  v1::AgentMessage message;
  *message.mutable_hello() = HubScenario::HelloOf("a");
  s.hub().Received(1, message, s.now());
  const std::vector<HubEffect> effects = s.hub().TakeEffects();
  EXPECT_EQ(Describe(effects.at(0)), "1 <- Ping 1");
  EXPECT_EQ(Describe(effects.at(1)), kWelcome);
}

TEST(AgentHub, APongCountsOnceAndOnlyForAPingThatIsOut) {
  HubScenario s;
  s.Join(1, "a");
  s.Pong(1, 7, 5);
  s.Pong(1, 1, UINT64_MAX);
  EXPECT_EQ(s.hub().Agents().at(0).clock_offset_and_error, std::nullopt);
  s.Pong(1, 1, static_cast<uint64_t>(s.now()));
  s.Pong(1, 1, 5);
  EXPECT_EQ(s.hub().ClockOffsetOf("a"), 0);
}

// ---- the running job ----------------------------------------------------------------------------

v1::AgentMessage ProbedOf(const std::string& job, uint64_t epoch) {
  v1::AgentMessage message;
  message.mutable_probed()->set_job_id(job);
  message.mutable_probed()->set_model("m");
  *message.mutable_probed()->mutable_epoch() = EncodeEpoch({"s", epoch});
  return message;
}

TEST(AgentHub, OnlyTheRunningJobsProbeIsLetThrough) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_THAT(s.Say(1, ProbedOf("job", 1)), IsEmpty());
  s.hub().EnterJob("job");
  EXPECT_THAT(s.Say(1, ProbedOf("job", 1)), ElementsAre("probed a m"));
  EXPECT_THAT(s.Say(1, ProbedOf("another", 1)), IsEmpty());
  EXPECT_THAT(s.Say(1, ProbedOf("job", 2)), IsEmpty());
  s.hub().LeaveJob();
  EXPECT_THAT(s.Say(1, ProbedOf("job", 1)), IsEmpty());
  EXPECT_EQ(s.hub().stale_messages(), 4u);
}

TEST(AgentHub, BarriersOfTheLevelAreLetThrough) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  v1::AgentMessage ready, started, warm, done;
  *ready.mutable_ready()->mutable_key() = s.key();
  ready.mutable_ready()->set_error("no");
  *started.mutable_started()->mutable_key() = s.key();
  started.mutable_started()->set_skew_ns(-5);
  *warm.mutable_warm()->mutable_key() = s.key();
  warm.mutable_warm()->set_mean_latency_us(9);
  *done.mutable_share_done()->mutable_key() = s.key();
  EXPECT_THAT(s.Say(1, ready), ElementsAre("ready a no"));
  EXPECT_THAT(s.Say(1, started), ElementsAre("started a -5"));
  EXPECT_THAT(s.Say(1, warm), ElementsAre("warm a 9"));
  EXPECT_THAT(s.Say(1, done), ElementsAre("done a"));
}

TEST(AgentHub, MessagesOfAnotherAttemptAreCountedAndDropped) {
  HubScenario s;
  s.Join(1, "a");
  v1::AgentMessage done;
  *done.mutable_share_done()->mutable_key() = s.key();
  s.EnterLevel(2, {"a"});
  EXPECT_THAT(s.Say(1, done), ElementsAre("1 <- Cancel 0/1: the attempt is over"));
  EXPECT_EQ(s.hub().stale_messages(), 1u);
}

TEST(AgentHub, MessagesOfAnAgentWithoutAPartAreCountedAndDropped) {
  HubScenario s;
  s.Join(1, "a");
  s.Join(2, "b");
  s.EnterLevel(1, {"a"});
  EXPECT_THAT(s.Report(2, 1), ElementsAre("2 <- Cancel 0/1: the attempt is over"));
  EXPECT_EQ(s.hub().stale_messages(), 1u);
}

TEST(AgentHub, AnAgentStartedAnewHasNoPartInTheLevelOfTheOldOne) {
  HubScenario s;
  s.Join(1, "a", "1");
  s.EnterLevel(1, {"a"});
  s.Wait(5);
  s.Join(2, "a", "2");
  EXPECT_THAT(s.Report(2, 1), ElementsAre("2 <- Cancel 0/1: the attempt is over"));
}

TEST(AgentHub, ALateStoppedIsNotAnsweredSoThatItIsNotSaidForEver) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_THAT(s.Stopped(1, 0), IsEmpty());
  EXPECT_EQ(s.hub().stale_messages(), 1u);
}

TEST(AgentHub, AReportCountsOnceAndIsAcknowledgedEachTime) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  EXPECT_THAT(s.Report(1, 1, 4), ElementsAre("facts a sent 4", "1 <- DeltaAck 1"));
  EXPECT_THAT(s.Report(1, 1, 4), ElementsAre("1 <- DeltaAck 1"));
  EXPECT_THAT(s.Report(1, 2, 3), ElementsAre("facts a sent 3", "1 <- DeltaAck 2"));
}

TEST(AgentHub, ReportsGoOnWhereTheyWereAfterAReconnect) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  s.Report(1, 1);
  s.Close(1);
  s.Join(2, "a");
  s.hub().AddToLevel("a");  // PREPARE is said again
  EXPECT_THAT(s.Report(2, 1), ElementsAre("2 <- DeltaAck 1"));
  EXPECT_THAT(s.Report(2, 2), ElementsAre("facts a sent 1", "2 <- DeltaAck 2"));
}

TEST(AgentHub, AGapClosesTheStreamSoThatTheMissingOnesComeAgain) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  EXPECT_THAT(s.Report(1, 2), ElementsAre("close 1: delta 2 came after delta 0: delta 1 is missing"));
  s.Join(2, "a");
  EXPECT_THAT(s.Report(2, 1), ElementsAre("facts a sent 1", "2 <- DeltaAck 1"));
}

TEST(AgentHub, DeltaZeroClosesTheStream) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  EXPECT_THAT(s.Report(1, 0), ElementsAre("close 1: delta 0: deltas are numbered from 1"));
}

TEST(AgentHub, AReportThatIsNotValidLosesTheAgentByItsName) {
  HubScenario s;
  s.Join(1, kLongName);
  s.EnterLevel(1, {kLongName});
  v1::AgentMessage message;
  v1::Report& report = *message.mutable_report();
  *report.mutable_key() = s.key();
  *report.mutable_epoch() = EncodeEpoch({"s", 1});
  report.mutable_delta()->set_sequence(1);
  report.mutable_delta()->add_histograms()->mutable_histogram()->set_count(7);  // of no bucket
  EXPECT_THAT(s.Say(1, message),
              ElementsAre(HasSubstr("close 1: its report is not valid: "),
                          HasSubstr(absl::StrCat("lost ", kLongName, ": its report is not valid: "))));
}

TEST(AgentHub, AReportWithoutKeyIsCountedAndDropped) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  v1::AgentMessage message;
  *message.mutable_report()->mutable_epoch() = EncodeEpoch({"s", 1});
  EXPECT_THAT(s.Say(1, message), IsEmpty());
  EXPECT_EQ(s.hub().stale_messages(), 1u);
}

TEST(AgentHub, StoppedIsTakenWithAllItsReports) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  s.Report(1, 1);
  EXPECT_THAT(s.Stopped(1, 1), ElementsAre("stopped a deltas 1"));
}

TEST(AgentHub, StoppedWithoutAllItsReportsClosesTheStreamSoThatTheyComeAgain) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  EXPECT_THAT(s.Stopped(1, 1), ElementsAre("close 1: reports are missing before Stopped"));
}

TEST(AgentHub, ASnapshotThatIsNotValidLosesTheAgent) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  v1::AgentMessage message;
  *message.mutable_stopped()->mutable_key() = s.key();
  message.mutable_stopped()->mutable_snapshot()->mutable_self_check()->mutable_loop_lag_us()->set_count(3);
  EXPECT_THAT(s.Say(1, message), ElementsAre(HasSubstr("close 1: its final snapshot is not valid"),
                                             HasSubstr("lost a: its final snapshot is not valid")));
}

TEST(AgentHub, AnAgentWithTooManyWordsIsLost) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  v1::AgentMessage message;
  *message.mutable_ready()->mutable_key() = s.key();
  for (int i = 0; i < 30'000; ++i) message.mutable_ready()->add_addresses("10.0.0.1:8000");
  EXPECT_THAT(s.Say(1, message), ElementsAre(HasSubstr("close 1: a message of it has"), HasSubstr("at most 262144")));
}

TEST(AgentHub, LogsNoMoreThanSomeOfManyRefusals) {
  AgentHub hub(AgentHubOptions{{"s", 1}});
  size_t logged = 0;
  for (StreamId stream = 1; stream <= 1'000; ++stream) {
    hub.StreamOpened(stream, "", kSecond);
    v1::AgentMessage message;
    *message.mutable_hello() = HubScenario::HelloOf("a");
    message.mutable_hello()->set_protocol_major(9);
    hub.Received(stream, message, kSecond);
    for (const HubEffect& effect : hub.TakeEffects()) logged += std::holds_alternative<HubLog>(effect) ? 1 : 0;
  }
  EXPECT_EQ(logged, 10u);
}

TEST(AgentHub, AMessageThatSaysNothingIsPassedOver) {
  HubScenario s;
  s.Join(1, "a");
  EXPECT_THAT(s.Say(1, {}), IsEmpty());
}

TEST(AgentHub, AfterTheLevelNothingOfItIsLetThrough) {
  HubScenario s;
  s.Join(1, "a");
  s.EnterLevel(1, {"a"});
  EXPECT_TRUE(s.hub().Agents().at(0).in_level);
  s.hub().LeaveLevel();
  EXPECT_FALSE(s.hub().Agents().at(0).in_level);
  EXPECT_THAT(s.Report(1, 1), ElementsAre("1 <- Cancel 0/1: the attempt is over"));
}

TEST(AgentHub, CountsTheStreamsOfAllWhoAreHere) {
  HubScenario s;
  s.Join(1, "a");
  s.Join(2, "b");
  EXPECT_EQ(s.hub().TotalStreams(), 20u);
}

}  // namespace
}  // namespace tidemark
