#include "coordinator/driver/job_driver.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/unit/coordinator_driver/driver_scenario.h"

namespace tidemark {
namespace {

using Kind = v1::CoordinatorMessage;

// Longer than a string keeps in place, so that a use after it was freed shows.
constexpr char kAgent[] = "agent-with-a-rather-long-name-0001";

v1::Probed Found() {
  v1::Probed report;
  report.set_latency_us(2'000);
  report.set_requests(1);
  return report;
}

TEST(JobDriver, AnInvalidReportLosesTheAgentByItsName) {
  DriverScenario s;
  const auto stream = s.Join(kAgent);
  ASSERT_TRUE(stream->Await(Kind::kProbe).has_probe());
  s.Probed(stream, Found());
  const v1::CoordinatorMessage prepare = stream->Await(Kind::kPrepare);
  ASSERT_TRUE(prepare.has_prepare());
  v1::AgentMessage message;
  v1::Report& report = *message.mutable_report();
  *report.mutable_key() = prepare.prepare().key();
  *report.mutable_epoch() = DriverScenario::Epoch();
  report.mutable_delta()->set_sequence(1);
  report.mutable_delta()->add_histograms()->mutable_histogram()->set_count(7);  // of no bucket
  s.Say(stream, std::move(message));
  EXPECT_NE(stream->AwaitClose().find("its report is not valid"), std::string::npos);
  EXPECT_TRUE(s.AwaitSaid(absl::StrCat("agent ", kAgent, " is lost: its report is not valid")));
}

TEST(JobDriver, AProbeIsSaidOnce) {
  DriverScenario s;
  const auto stream = s.Join("a");
  ASSERT_TRUE(stream->Await(Kind::kProbe).has_probe());
  s.Probed(stream, Found());
  ASSERT_TRUE(stream->Await(Kind::kPrepare).has_prepare());
  s.Probed(stream, Found());  // again, as at a reconnect
  s.Join("b")->Await(Kind::kWelcome);
  EXPECT_EQ(s.probed_events(), 1);
}

TEST(JobDriver, AProbeThatFailedIsNotSaidAsAnAnswer) {
  DriverScenario s;
  const auto stream = s.Join("a");
  ASSERT_TRUE(stream->Await(Kind::kProbe).has_probe());
  v1::Probed report;
  report.mutable_failure()->set_failure_class("timeout_total");
  s.Probed(stream, report);
  ASSERT_TRUE(stream->Await(Kind::kPrepare).has_prepare());
  EXPECT_TRUE(s.AwaitSaid("the probe failed"));
  EXPECT_EQ(s.probed_events(), 0);
}

TEST(JobDriver, AProbeOfAnotherEpochIsDropped) {
  DriverScenario s;
  const auto stream = s.Join("a");
  ASSERT_TRUE(stream->Await(Kind::kProbe).has_probe());
  v1::Probed report = Found();
  report.mutable_epoch()->set_store_uuid("another");
  s.Probed(stream, report);
  s.Join("b")->Await(Kind::kWelcome);
  EXPECT_EQ(s.probed_events(), 0);
}

TEST(JobDriver, ARefusedAgentsStreamIsClosed) {
  DriverScenario s;
  const auto stream = s.Join("a", /*protocol=*/99);
  EXPECT_TRUE(stream->Await(Kind::kRefused).refused().permanent());
  EXPECT_EQ(stream->AwaitClose(), "refused");
}

TEST(JobDriver, AStreamWithoutHelloIsClosedAfterTenSeconds) {
  DriverScenario s;
  const auto silent = s.Open();
  s.Join("a")->Await(Kind::kWelcome);  // so the silent one is known
  s.clock().Advance(10 * kNanosPerSecond);
  s.Open();  // the driver looks at its clock
  EXPECT_EQ(silent->AwaitClose(), "no Hello in time");
}

}  // namespace
}  // namespace tidemark
