#include "common/measurement/facts_codec.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/common/random_facts.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

MeasuredFacts SampleFacts(uint32_t seed = 1, int events = 200) {
  Random random(seed);
  MeasuredFacts facts;
  for (int i = 0; i < events; ++i) AddRandomEvent(random, facts);
  return facts;
}

FinalSnapshot SampleSnapshot() {
  FinalSnapshot snapshot;
  snapshot.measured = {10, 8, 1, 1, 0};
  snapshot.unmeasured = {4, 4, 0, 0, 0};
  snapshot.deltas = 3;
  snapshot.windows = {{4, 6, 5, 4, true, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                      {4, 4, 3, 2, false, 0, 0, 0, 0, 0, 0, 0, 0}};
  Random random(1);
  AddRandomEvent(random, snapshot.self_check);
  uint64_t next = 20;
  SelfCheckFacts& self = snapshot.self_check;
  for (uint64_t* fact :
       {&self.loop_cpu_ns, &self.wall_ns, &self.cgroup_throttled_ns, &self.cgroup_periods,
        &self.cgroup_throttled_periods, &self.run_queue_wait_ns, &self.sockets_opened,
        &self.descriptors_limit, &self.descriptors_used_max, &self.unread_socket_bytes_max,
        &self.reads, &self.queued_inside, &self.connections_open_max, &self.ports_limit}) {
    *fact = next++;
  }
  snapshot.stopped_early = true;
  snapshot.records_written = 1;
  snapshot.records_lost = 2;
  snapshot.records_bytes = 3;
  return snapshot;
}

// The error of decoding a delta after `spoil` changed it.
std::string DeltaRefusal(const std::function<void(v1::Delta&)>& spoil) {
  v1::Delta delta = EncodeDelta(SampleFacts());
  spoil(delta);
  const absl::StatusOr<MeasuredFacts> decoded = DecodeDelta(delta, kRandomSlas);
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(decoded.status().message());
}

std::string SnapshotRefusal(const std::function<void(v1::FinalSnapshot&)>& spoil) {
  v1::FinalSnapshot message = EncodeSnapshot(SampleSnapshot());
  spoil(message);
  const absl::StatusOr<FinalSnapshot> decoded = DecodeSnapshot(message);
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(decoded.status().message());
}

// Each decoded delta merged, whatever their order.
MeasuredFacts MergedBackwards(const std::vector<v1::Delta>& deltas) {
  MeasuredFacts merged;
  for (auto delta = deltas.rbegin(); delta != deltas.rend(); ++delta) {
    const absl::StatusOr<MeasuredFacts> facts = DecodeDelta(*delta, kRandomSlas);
    EXPECT_TRUE(facts.ok()) << facts.status();
    if (facts.ok()) merged.Merge(*facts);
  }
  return merged;
}

TEST(DeltaCodec, RoundTrips) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    const MeasuredFacts facts = SampleFacts(seed);
    const absl::StatusOr<MeasuredFacts> decoded = DecodeDelta(EncodeDelta(facts), kRandomSlas);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, facts);
  }
}

TEST(DeltaCodec, RoundTripsNothing) {
  const absl::StatusOr<MeasuredFacts> decoded = DecodeDelta(EncodeDelta({}), kRandomSlas);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_TRUE(decoded->Empty());
}

TEST(DeltaCodec, GivesEqualFactsEqualBytes) {
  const MeasuredFacts a = SampleFacts(1), b = SampleFacts(2);
  MeasuredFacts ab = a, ba = b;
  ab.Merge(b);
  ba.Merge(a);
  EXPECT_EQ(EncodeDelta(ab).SerializeAsString(), EncodeDelta(ba).SerializeAsString());
}

TEST(DeltaCodec, LeavesOutEmptyHistograms) {
  MeasuredFacts facts;
  facts.histogram(Metric::kRequestLatency).Record(5);
  EXPECT_EQ(EncodeDelta(facts).histograms_size(), 1);
}

TEST(DeltaCodec, RefusesAnUnknownTag) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { d.mutable_histograms(0)->set_tag("ttft"); }),
              HasSubstr("histograms[\"ttft\"]"));
}

TEST(DeltaCodec, RefusesATagTwice) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { *d.add_histograms() = d.histograms(0); }),
              HasSubstr("should come once"));
}

TEST(DeltaCodec, RefusesAnEmptyHistogramUnderATag) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { d.mutable_histograms(0)->clear_histogram(); }),
              HasSubstr("left out"));
}

TEST(DeltaCodec, NamesTheHistogramThatIsMalformed) {
  EXPECT_THAT(
      DeltaRefusal([](v1::Delta& d) { d.mutable_histograms(0)->mutable_histogram()->set_sum(0); }),
      HasSubstr("histograms[\"time_to_first_token\"]: sum is 0"));
}

TEST(DeltaCodec, RefusesASliceTwice) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { *d.add_slices() = d.slices(0); }),
              HasSubstr("slices[0]: should come once"));
}

TEST(DeltaCodec, RefusesASliceWithoutThePlansSlas) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { d.mutable_slices(0)->add_sla(); }),
              HasSubstr("has 3 sla: should be the plan's 2"));
}

TEST(DeltaCodec, RefusesMoreViolationsThanRequests) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { d.mutable_slices(0)->mutable_sla(1)->set_v(1000); }),
              HasSubstr("slices[0].sla[1]: v is 1000"));
}

TEST(DeltaCodec, RefusesAMalformedSlaHistogram) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) {
                d.mutable_slices(0)->mutable_sla(0)->mutable_histogram()->set_count(999);
              }),
              HasSubstr("slices[0].sla[0].histogram"));
}

TEST(DeltaCodec, RefusesFailureClassesThatAreNoPlainWords) {
  for (const char* name : {"", "http 500", "HTTP", "a\"b", "a\nb"}) {
    EXPECT_THAT(DeltaRefusal([&](v1::Delta& d) { d.mutable_failures(0)->set_failure_class(name); }),
                HasSubstr("failures.failure_class"));
    EXPECT_THAT(DeltaRefusal([&](v1::Delta& d) { d.mutable_examples(0)->set_failure_class(name); }),
                HasSubstr("examples.failure_class"));
  }
}

TEST(DeltaCodec, RefusesAFailureClassTwice) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { *d.add_failures() = d.failures(0); }),
              HasSubstr("failures[\"http_500\"]: should come once"));
}

TEST(DeltaCodec, RefusesAFailureCountOfZero) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { d.mutable_failures(0)->set_count(0); }),
              HasSubstr("count is 0"));
}

TEST(DeltaCodec, RefusesMoreExamplesThanAreKept) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { *d.add_examples() = d.examples(0); }),
              HasSubstr("at most 3"));
}

TEST(DeltaCodec, RefusesAnExcerptOverItsLength) {
  EXPECT_THAT(
      DeltaRefusal([](v1::Delta& d) { d.mutable_examples(0)->set_excerpt(std::string(513, 'x')); }),
      HasSubstr("excerpt has 513 bytes"));
}

TEST(DeltaCodec, RefusesAnAddressTwiceOrWithoutName) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { *d.add_addresses() = d.addresses(0); }),
              HasSubstr("addresses[\"10.0.0.0\"]: should come once"));
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) { d.mutable_addresses(0)->clear_address(); }),
              HasSubstr("addresses[\"\"]"));
}

TEST(DeltaCodec, RefusesAMalformedAddressHistogram) {
  EXPECT_THAT(DeltaRefusal([](v1::Delta& d) {
                d.mutable_addresses(0)->mutable_time_to_first_token()->set_sum(0);
              }),
              HasSubstr("addresses[\"10.0.0.0\"].time_to_first_token"));
}

TEST(SplitDelta, GivesOneDeltaWhenAllFits) {
  const MeasuredFacts facts = SampleFacts();
  const std::vector<v1::Delta> deltas = SplitDelta(facts, 1 << 20);
  ASSERT_EQ(deltas.size(), 1u);
  EXPECT_EQ(deltas[0].SerializeAsString(), EncodeDelta(facts).SerializeAsString());
}

TEST(SplitDelta, GivesOneDeltaOfNothing) { EXPECT_EQ(SplitDelta({}, 1024).size(), 1u); }

TEST(SplitDelta, MergesToTheSameFactsAtEverySize) {
  const MeasuredFacts facts = SampleFacts();
  for (size_t max_bytes : {0, 100, 1000, 3000, 10'000, 64 * 1024}) {
    EXPECT_EQ(MergedBackwards(SplitDelta(facts, max_bytes)), facts) << max_bytes;
  }
}

// Few large items a delta, at sizes where one more fits or just does not.
TEST(SplitDelta, KeepsToTheSizeWithRoomForASequenceNumber) {
  MeasuredFacts facts;
  for (Histogram& histogram : facts.histograms) {
    for (uint64_t value = 0; value < 200; ++value) histogram.Record(value);
  }
  for (size_t max_bytes = 800; max_bytes < 1000; ++max_bytes) {
    std::vector<v1::Delta> deltas = SplitDelta(facts, max_bytes);
    EXPECT_GT(deltas.size(), 5u);
    for (v1::Delta& delta : deltas) {
      delta.set_sequence(UINT64_MAX);
      ASSERT_LE(delta.ByteSizeLong(), max_bytes);
    }
  }
}

TEST(SplitDelta, KeepsToTheSizeWithEveryKindOfItem) {
  for (v1::Delta& delta : SplitDelta(SampleFacts(1, 2000), 4096)) {
    EXPECT_LE(delta.ByteSizeLong(), 4096u);
  }
}

TEST(SplitDelta, PutsCountsIntoTheFirstOnly) {
  const std::vector<v1::Delta> deltas = SplitDelta(SampleFacts(1, 2000), 4096);
  EXPECT_TRUE(deltas[0].measured().sent() > 0 && deltas[0].reads() > 0);
  for (size_t i = 1; i < deltas.size(); ++i) {
    EXPECT_EQ(deltas[i].measured().sent() + deltas[i].reads() + deltas[i].in_flight_now(), 0u);
  }
}

TEST(SplitDelta, SendsAHistogramLargerThanTheLimitAlone) {
  MeasuredFacts facts;
  for (uint64_t value = 0; value < 2000; ++value) {
    facts.histogram(Metric::kInterChunkLatency).Record(value);
  }
  facts.histogram(Metric::kTimeToFirstToken).Record(1);
  facts.histogram(Metric::kTimeToFirstByte).Record(1);
  const std::vector<v1::Delta> deltas = SplitDelta(facts, 1000);
  ASSERT_EQ(deltas.size(), 3u);
  ASSERT_EQ(deltas[1].histograms_size(), 1);
  EXPECT_EQ(deltas[1].histograms(0).tag(), "inter_chunk_latency");
  EXPECT_EQ(MergedBackwards(deltas), facts);
}

TEST(SnapshotCodec, RoundTrips) {
  const absl::StatusOr<FinalSnapshot> decoded = DecodeSnapshot(EncodeSnapshot(SampleSnapshot()));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, SampleSnapshot());
}

TEST(SnapshotCodec, KeepsBooksThatDoNotBalance) {
  FinalSnapshot snapshot = SampleSnapshot();
  snapshot.measured.sent += 1;
  const absl::StatusOr<FinalSnapshot> decoded = DecodeSnapshot(EncodeSnapshot(snapshot));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_FALSE(decoded->measured.Conserved());
}

TEST(SnapshotCodec, RefusesAWindowWithoutSlots) {
  EXPECT_THAT(SnapshotRefusal([](v1::FinalSnapshot& s) { s.mutable_windows(1)->set_slots(0); }),
              HasSubstr("windows[1]: slots is 0"));
}

TEST(SnapshotCodec, RefusesAWindowOfNoWidth) {
  EXPECT_THAT(SnapshotRefusal([](v1::FinalSnapshot& s) { s.mutable_windows(0)->set_width_ns(0); }),
              HasSubstr("windows[0]: width_ns is 0: should be above 0"));
}

TEST(SnapshotCodec, RefusesAWidthWithoutAWindow) {
  EXPECT_THAT(SnapshotRefusal([](v1::FinalSnapshot& s) { s.mutable_windows(1)->set_width_ns(9); }),
              HasSubstr("windows[1]: width_ns is 9"));
}

TEST(SnapshotCodec, RefusesMoreSuccessesThanRequests) {
  EXPECT_THAT(SnapshotRefusal([](v1::FinalSnapshot& s) { s.mutable_windows(0)->set_successes(7); }),
              HasSubstr("successes 7"));
}

TEST(SnapshotCodec, RefusesMoreGoodRequestsThanSuccesses) {
  EXPECT_THAT(
      SnapshotRefusal([](v1::FinalSnapshot& s) { s.mutable_windows(0)->set_good_requests(6); }),
      HasSubstr("good_requests 6"));
}

TEST(SnapshotCodec, RefusesEachMalformedHistogram) {
  EXPECT_THAT(SnapshotRefusal([](v1::FinalSnapshot& s) {
                s.mutable_self_check()->mutable_loop_lag_us()->set_sum(UINT64_MAX);
              }),
              HasSubstr("self_check.loop_lag_us"));
  EXPECT_THAT(SnapshotRefusal([](v1::FinalSnapshot& s) {
                s.mutable_self_check()->mutable_send_lateness_us()->set_sum(UINT64_MAX);
              }),
              HasSubstr("self_check.send_lateness_us"));
  EXPECT_THAT(SnapshotRefusal([](v1::FinalSnapshot& s) {
                s.mutable_self_check()->mutable_slot_turnaround_us()->set_sum(UINT64_MAX);
              }),
              HasSubstr("self_check.slot_turnaround_us"));
}

}  // namespace
}  // namespace tidemark
