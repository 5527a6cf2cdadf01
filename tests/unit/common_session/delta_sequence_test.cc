#include "common/session/delta_sequence.h"

#include <deque>
#include <random>
#include <string>

#include "common/measurement/facts_codec.h"

namespace tidemark {
namespace {

MeasuredFacts Facts(uint64_t sent) {
  MeasuredFacts facts;
  facts.measured.sent = sent;
  facts.measured.ok = sent;
  return facts;
}

TEST(DeltaSender, NumbersFromOneWithoutGaps) {
  DeltaSender sender;
  sender.Add(Facts(1));
  EXPECT_EQ(sender.TakeToSend().at(0).sequence(), 1u);
  sender.Add(Facts(1));
  EXPECT_EQ(sender.TakeToSend().at(0).sequence(), 2u);
}

TEST(DeltaSender, MergesWhileTwoAreInFlight) {
  DeltaSender sender;
  for (int i = 0; i < 2; ++i) {
    sender.Add(Facts(1));
    EXPECT_EQ(sender.TakeToSend().size(), 1u);
  }
  for (int i = 0; i < 5; ++i) {
    sender.Add(Facts(1));
    EXPECT_TRUE(sender.TakeToSend().empty());
  }
  sender.Acknowledge(1);
  const std::vector<v1::Delta> next = sender.TakeToSend();
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].measured().sent(), 5u);
}

TEST(DeltaSender, SendsNothingForEmptyFacts) {
  DeltaSender sender;
  sender.Add(MeasuredFacts());
  EXPECT_TRUE(sender.TakeToSend().empty());
  EXPECT_TRUE(sender.AllSent());
}

TEST(DeltaSender, RepeatsTheSameBytesOnANewStream) {
  DeltaSender sender;
  sender.Add(Facts(3));
  const std::string first = sender.TakeToSend().at(0).SerializeAsString();
  sender.Add(Facts(4));
  sender.StreamRestarted();
  const std::vector<v1::Delta> again = sender.TakeToSend();
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].SerializeAsString(), first);
  EXPECT_EQ(again[1].measured().sent(), 4u);
}

TEST(DeltaSender, IgnoresAcknowledgementOfWhatItNeverSent) {
  DeltaSender sender;
  sender.Add(Facts(3));
  sender.Acknowledge(7);
  EXPECT_EQ(sender.TakeToSend().size(), 1u);
  sender.Acknowledge(7);
  EXPECT_FALSE(sender.AllAcknowledged());
}

TEST(DeltaSender, SplitsWhatIsLargerThanAMessage) {
  DeltaSender sender;
  MeasuredFacts facts = Facts(1);
  for (uint32_t slice = 0; slice < 20'000; ++slice) facts.slices[slice].n = 1'000'000 + slice;
  sender.Add(facts);
  MeasuredFacts sum;
  uint64_t acknowledged = 0;
  for (int turn = 0; turn < 100 && !sender.AllAcknowledged(); ++turn) {
    for (const v1::Delta& delta : sender.TakeToSend()) {
      EXPECT_LE(delta.ByteSizeLong(), size_t{60} * 1024);
      sum.Merge(*DecodeDelta(delta, 0));
      acknowledged = delta.sequence();
    }
    sender.Acknowledge(acknowledged);
  }
  EXPECT_TRUE(sender.AllAcknowledged());
  EXPECT_GT(sender.count(), 2u);
  EXPECT_EQ(sum, facts);
}

TEST(DeltaReceiver, DropsWhatItHasSeen) {
  DeltaReceiver receiver;
  EXPECT_TRUE(*receiver.Receive(1));
  EXPECT_FALSE(*receiver.Receive(1));
  EXPECT_EQ(receiver.last_sequence(), 1u);
}

TEST(DeltaReceiver, RefusesAGapNamingWhatIsMissing) {
  DeltaReceiver receiver;
  EXPECT_TRUE(*receiver.Receive(1));
  const absl::Status status = receiver.Receive(3).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("delta 2 is missing"), absl::string_view::npos);
  EXPECT_EQ(receiver.last_sequence(), 1u);
}

// Both ends over a stream that loses, repeats, re-orders, delays, and breaks. A gap or a loss ends
// in a new stream, as with gRPC; acknowledgements of an old stream may still arrive on the new one.
class FaultyStream {
 public:
  explicit FaultyStream(uint32_t seed) : random_(seed) {}

  // Facts that were given to the sender, and what came out at the other end.
  MeasuredFacts given, received;

  void Run() {
    const int rounds = Pick(40);
    for (int round = 0; round < rounds; ++round) Step();
    faults_ = false;
    Restart();
    for (int i = 0; i < 100 && !sender_.AllAcknowledged(); ++i) Step(/*add=*/false);
  }
  bool Delivered() const { return sender_.AllAcknowledged(); }
  uint64_t sent() const { return sender_.count(); }
  uint64_t kept() const { return receiver_.last_sequence(); }

 private:
  int Pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool Fault(int one_in) { return faults_ && Pick(one_in) == 0; }

  void Step(bool add = true) {
    if (add) Produce();
    for (v1::Delta& delta : sender_.TakeToSend()) Write(delta);
    if (wire_.size() > 1 && Fault(6)) std::swap(wire_.front(), wire_.back());
    for (int i = Pick(4); i > 0 || (!faults_ && !wire_.empty()); --i) Deliver();
    for (int i = Pick(3); i > 0 || (!faults_ && !acks_.empty()); --i) DeliverAck();
    if (Fault(10)) Restart();
  }

  void Produce() {
    MeasuredFacts facts;
    facts.measured.sent = facts.measured.ok = static_cast<uint64_t>(1 + Pick(5));
    facts.slices[static_cast<uint32_t>(Pick(8))].n = facts.measured.sent;
    facts.output_tokens = random_() % 1000;
    given.Merge(facts);
    sender_.Add(facts);
  }

  void Write(const v1::Delta& delta) {
    std::string& bytes = written_[delta.sequence()];
    if (bytes.empty()) bytes = delta.SerializeAsString();
    EXPECT_EQ(bytes, delta.SerializeAsString()) << "delta " << delta.sequence() << " changed";
    if (Fault(8)) return;  // lost
    wire_.push_back(delta);
    if (Fault(8)) wire_.push_back(delta);
  }

  void Deliver() {
    if (wire_.empty()) return;
    const v1::Delta delta = wire_.front();
    wire_.pop_front();
    const absl::StatusOr<bool> fresh = receiver_.Receive(delta.sequence());
    if (!fresh.ok()) return Restart();
    if (*fresh) received.Merge(*DecodeDelta(delta, 0));
    if (!Fault(8)) acks_.push_back(receiver_.last_sequence());
  }

  void DeliverAck() {
    if (acks_.empty()) return;
    const size_t which = Fault(4) ? acks_.size() - 1 : 0;
    sender_.Acknowledge(acks_[which]);
    acks_.erase(acks_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  void Restart() {
    if (!Fault(3)) wire_.clear();  // else: late, on the old stream, still read
    if (!Fault(3)) acks_.clear();
    sender_.StreamRestarted();
  }

  std::minstd_rand random_;
  bool faults_ = true;
  DeltaSender sender_;
  DeltaReceiver receiver_;
  std::deque<v1::Delta> wire_;
  std::deque<uint64_t> acks_;
  std::map<uint64_t, std::string> written_;
};

TEST(DeltaSequence, FaultsNeverChangeTheSum) {
  for (uint32_t seed = 1; seed <= 10'000; ++seed) {
    FaultyStream stream(seed);
    stream.Run();
    ASSERT_TRUE(stream.Delivered()) << "seed " << seed;
    ASSERT_EQ(stream.kept(), stream.sent()) << "seed " << seed;
    ASSERT_EQ(stream.received, stream.given) << "seed " << seed;
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark
