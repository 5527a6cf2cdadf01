#include "agent/core/recorder.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "common/measurement/facts_codec.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kOrigin = 50'000 * kMs;

RecorderOptions Options(std::vector<SlaThreshold> slas = {}) {
  RecorderOptions options;
  options.slots = 4;
  options.slas = std::move(slas);
  options.slice_origin = kOrigin;
  options.slice_width = 100 * kMs;
  return options;
}

// A measured stream of `tokens` token events, 10 ms apart after a first one 50 ms after its start.
RequestRecord Request(int64_t sent_ms, int tokens, Outcome outcome = Outcome::kOk) {
  RequestRecord r;
  r.measured = true;
  r.sent = kOrigin + sent_ms * kMs;
  r.planned_input_tokens = 20;
  r.address = "127.0.0.1:80";
  for (int i = 0; i < tokens; ++i) r.AddTokenEvent(r.sent + (50 + 10 * i) * kMs, true, true);
  r.ended = tokens == 0 ? r.sent + 30 * kMs : r.last_token + kMs;
  r.outcome = outcome;
  if (outcome == Outcome::kFailed) r.failure = FailureClass::kTruncated;
  return r;
}

void RunOne(const RequestRecord& record, Recorder* recorder) {
  recorder->OnSend(record);
  recorder->OnEnd(record);
}

MeasuredFacts FactsOf(const std::vector<RequestRecord>& records, RecorderOptions options) {
  Recorder recorder(std::move(options));
  for (const RequestRecord& record : records) RunOne(record, &recorder);
  return recorder.TakeFacts();
}

TEST(Recorder, CountsEachEnd) {
  RequestRecord filler = Request(0, 2);
  filler.measured = false;
  const MeasuredFacts facts =
      FactsOf({Request(0, 2), Request(0, 2, Outcome::kFailed), Request(0, 2, Outcome::kCancelled),
               Request(0, 2, Outcome::kUnfinished), filler},
              Options());
  EXPECT_EQ(facts.measured, (OutcomeCounts{4, 1, 1, 1, 1}));
  EXPECT_EQ(facts.unmeasured, (OutcomeCounts{1, 1, 0, 0, 0}));
  EXPECT_TRUE(facts.measured.Conserved());
}

TEST(Recorder, OnlyMeasuredSuccessesEnterTheHistograms) {
  RequestRecord filler = Request(0, 5);
  filler.measured = false;
  const MeasuredFacts facts =
      FactsOf({Request(0, 3), Request(0, 4, Outcome::kFailed), filler}, Options());
  EXPECT_EQ(facts.histogram(Metric::kTimeToFirstToken).count(), 1u);
  EXPECT_EQ(facts.histogram(Metric::kInterChunkLatency).count(), 2u);
  EXPECT_EQ(facts.histogram(Metric::kOutputSequenceLength).sum(), 3u);
  EXPECT_EQ(facts.output_tokens, 3u);
  EXPECT_EQ(facts.input_tokens, 20u);
  EXPECT_EQ(facts.failed_tokens, 4u);
  EXPECT_EQ(facts.usage_from_events, 1u);
}

TEST(Recorder, TokensOfAllAreThoseOfEveryRequestWhateverItsEnd) {
  RequestRecord filler = Request(0, 5);
  filler.measured = false;
  const MeasuredFacts facts = FactsOf({Request(0, 3), Request(0, 4, Outcome::kFailed),
                                       Request(0, 2, Outcome::kCancelled), filler},
                                      Options());
  EXPECT_EQ(facts.tokens_of_all, 14u);
}

TEST(Recorder, FailuresHaveTheirClassAndAnExample) {
  RequestRecord refused = Request(0, 0, Outcome::kFailed);
  refused.failure = FailureClass::kHttpStatus;
  refused.status = 429;
  refused.excerpt = "slow down";
  refused.retry_after = "1";
  const MeasuredFacts facts = FactsOf({refused, Request(0, 1, Outcome::kFailed)}, Options());
  EXPECT_EQ(facts.failures, (std::map<std::string, uint64_t>{{"http_429", 1}, {"truncated", 1}}));
  ASSERT_EQ(facts.examples.size(), 2u);
  EXPECT_EQ(facts.examples[0].excerpt, "slow down");
  EXPECT_EQ(facts.examples[0].retry_after, "1");
  EXPECT_EQ(facts.examples[0].age_us, 30'000u);
}

TEST(Recorder, AddressesHaveTheirRequestsAndErrors) {
  const MeasuredFacts facts = FactsOf(
      {Request(0, 2), Request(0, 2, Outcome::kFailed), Request(0, 2, Outcome::kCancelled)}, Options());
  const AddressFacts& address = facts.addresses.at("127.0.0.1:80");
  EXPECT_EQ(address.requests, 2u);
  EXPECT_EQ(address.errors, 1u);
  EXPECT_EQ(address.time_to_first_token.count(), 1u);
}

// TTFT below 60 ms and more than one token at once.
std::vector<SlaThreshold> TwoObjectives() {
  return {{Metric::kTimeToFirstToken, true, false, 60'000},
          {Metric::kInterTokenLatency, true, false, 5'000}};
}

TEST(Recorder, SlicesCountByTheStart) {
  const MeasuredFacts facts =
      FactsOf({Request(0, 2), Request(99, 3), Request(100, 4), Request(-5, 1)}, Options());
  ASSERT_EQ(facts.slices.size(), 2u);
  EXPECT_EQ(facts.slices.at(0).n, 3u);
  EXPECT_EQ(facts.slices.at(0).ended, 3u);
  EXPECT_EQ(facts.slices.at(0).tokens, 6u);
  EXPECT_EQ(facts.slices.at(1).tokens, 4u);
}

TEST(Recorder, AStartIsInItsSliceBeforeItsEnd) {
  Recorder recorder(Options());
  const RequestRecord r = Request(0, 2);
  recorder.OnSend(r);
  EXPECT_EQ(recorder.TakeFacts().slices.at(0).n, 1u);
  recorder.OnEnd(r);
  const MeasuredFacts facts = recorder.TakeFacts();
  EXPECT_EQ(facts.slices.at(0).n, 0u);
  EXPECT_EQ(facts.slices.at(0).ended, 1u);
}

TEST(Recorder, FailuresViolateEveryObjective) {
  const MeasuredFacts facts =
      FactsOf({Request(0, 1), Request(0, 1, Outcome::kFailed), Request(0, 1, Outcome::kCancelled)},
              Options(TwoObjectives()));
  const SlaEvidence& ttft = facts.slices.at(0).sla[0];
  EXPECT_EQ(ttft.n, 2u);
  EXPECT_EQ(ttft.v, 1u);
  EXPECT_EQ(ttft.histogram.count(), 1u);
}

TEST(Recorder, ARequestWithoutTheValueDecidesNothing) {
  const MeasuredFacts facts = FactsOf({Request(0, 1), Request(0, 2)}, Options(TwoObjectives()));
  const SlaEvidence& tpot = facts.slices.at(0).sla[1];
  EXPECT_EQ(tpot.n, 1u);  // the one of two tokens, 10 ms apart
  EXPECT_EQ(tpot.v, 1u);
}

TEST(Recorder, GoodRequestsMeetEveryObjective) {
  Recorder recorder(Options(TwoObjectives()));
  RunOne(Request(0, 1), &recorder);
  RunOne(Request(0, 2), &recorder);
  RunOne(Request(0, 1, Outcome::kFailed), &recorder);
  EXPECT_EQ(recorder.window().successes, 2u);
  EXPECT_EQ(recorder.window().good_requests, 1u);
  EXPECT_EQ(recorder.window().measured_requests, 3u);
  EXPECT_FALSE(recorder.window().has_window);
}

TEST(SlaThreshold, IsMetOnItsSideOnly) {
  EXPECT_TRUE(Meets({Metric::kTimeToFirstToken, true, false, 10}, 9));
  EXPECT_FALSE(Meets({Metric::kTimeToFirstToken, true, false, 10}, 10));
  EXPECT_TRUE(Meets({Metric::kTimeToFirstToken, true, true, 10}, 10));
  EXPECT_FALSE(Meets({Metric::kTimeToFirstToken, true, true, 10}, 11));
  EXPECT_TRUE(Meets({Metric::kOutputTokenThroughputPerUser, false, false, 10}, 11));
  EXPECT_FALSE(Meets({Metric::kOutputTokenThroughputPerUser, false, false, 10}, 10));
}

TEST(Recorder, TakenFactsAddUpToTheTotals) {
  Recorder recorder(Options());
  MeasuredFacts sum;
  for (int i = 0; i < 20; ++i) {
    recorder.OnSend(Request(i, 2));
    if (i % 3 == 0) sum.Merge(recorder.TakeFacts());
    recorder.OnEnd(Request(i, 2, i % 5 == 0 ? Outcome::kFailed : Outcome::kOk));
  }
  sum.Merge(recorder.TakeFacts());
  EXPECT_EQ(sum.measured, recorder.measured());
  EXPECT_EQ(sum.measured, (OutcomeCounts{20, 16, 4, 0, 0}));
  EXPECT_TRUE(recorder.TakeFacts().Empty());
}

// ---- A simulated closed loop in virtual time, against an oracle that sees every event. ----

constexpr int64_t kTurnaround = 200;  // ns from the end of a slot's request to its next start

struct Simulated {
  RequestRecord record;
  std::vector<int64_t> token_times;
};

struct Loop {
  std::vector<Simulated> requests;  // in order of their start
  WindowFacts window;
  MeasuredFacts facts;
  int64_t t0 = kNoTime, t1 = kNoTime;
};

// One request's course from its start: random tokens at random gaps; some fail.
Simulated Course(int64_t start, bool streaming, std::mt19937_64* random) {
  Simulated s;
  s.record.sent = start;
  s.record.streaming = streaming;
  s.record.planned_input_tokens = 10 + (*random)() % 20;
  const int tokens = 1 + static_cast<int>((*random)() % 30);
  int64_t at = start + 1 + static_cast<int64_t>((*random)() % (80 * kMs));
  for (int i = 0; i < tokens; ++i) {
    s.token_times.push_back(at);
    at += 1 + static_cast<int64_t>((*random)() % (20 * kMs));
  }
  s.record.ended = s.token_times.back() + 7;
  s.record.outcome = (*random)() % 10 == 0 ? Outcome::kFailed : Outcome::kOk;
  if (s.record.ok()) s.record.usage_completion_tokens = tokens * 3 + 1;
  return s;
}

// Adds to `live` the token events of `course` that came before `now`.
void Advance(const Simulated& course, int64_t now, RequestRecord* live) {
  if (!live->streaming) return;
  while (live->token_events < course.token_times.size() &&
         course.token_times[live->token_events] < now) {
    live->AddTokenEvent(course.token_times[live->token_events], true, true);
  }
}

// `slots` slots, each re-sending at once. The warm-up is 3 requests a slot; then `share` measured ones,
// then fillers until the last measured one has ended; what is then under way is cancelled.
class ClosedLoop {
 public:
  ClosedLoop(int slots, int share, bool streaming, uint64_t seed)
      : recorder_(Options()), random_(seed), streaming_(streaming), warm_up_(3 * slots), share_(share) {
    for (int slot = 0; slot < slots; ++slot) Start(kOrigin + slot * 3 * kMs);
  }

  Loop Simulate() {
    while (measured_ended_ < share_) {
      const auto next = std::min_element(live_.begin(), live_.end(), [](const auto& a, const auto& b) {
        return a->record.ended < b->record.ended;
      });
      const int64_t now = (*next)->record.ended;
      End(next->get(), now);
      live_.erase(next);
      if (measured_ended_ < share_) Start(now + kTurnaround);
      stop_ = now + 2 * kTurnaround;
    }
    for (auto& s : live_) Cancel(s.get());
    loop_.window = recorder_.window();
    loop_.facts = recorder_.TakeFacts();
    return std::move(loop_);
  }

 private:
  struct Slot : Simulated {
    explicit Slot(Simulated course) : Simulated(std::move(course)), seen(record) {
      seen.outcome = Outcome::kInFlight;
    }
    RequestRecord seen;  // as the recorder sees it; `record` knows the end
  };

  std::vector<RequestRecord*> InFlight(int64_t now) {
    std::vector<RequestRecord*> records;
    for (auto& live : live_) {
      Advance(*live, now, &live->seen);
      records.push_back(&live->seen);
    }
    return records;
  }

  void Start(int64_t now) {
    auto slot = std::make_unique<Slot>(Course(now, streaming_, &random_));
    const int number = started_++;
    slot->seen.measured = slot->record.measured = number >= warm_up_ && number < warm_up_ + share_;
    if (number == warm_up_) {
      recorder_.BeginWindow(now, InFlight(now));
      loop_.t0 = now;
    }
    if (number == warm_up_ + share_) {
      recorder_.EndWindow(now, InFlight(now));
      loop_.t1 = now;
    }
    recorder_.OnSend(slot->seen);
    live_.push_back(std::move(slot));
  }

  void End(Slot* slot, int64_t now) {
    Advance(*slot, now, &slot->seen);
    if (!streaming_) slot->seen.token_events = 1;
    slot->seen.outcome = slot->record.outcome;
    slot->seen.ended = now;
    if (slot->seen.outcome == Outcome::kFailed) slot->seen.failure = FailureClass::kTruncated;
    recorder_.OnEnd(slot->seen);
    measured_ended_ += slot->seen.measured ? 1 : 0;
    loop_.requests.push_back({slot->seen, slot->token_times});
  }

  void Cancel(Slot* slot) {
    Advance(*slot, stop_, &slot->seen);
    slot->seen.usage_completion_tokens.reset();
    slot->seen.outcome = Outcome::kCancelled;
    slot->seen.ended = stop_;
    recorder_.OnEnd(slot->seen);
    slot->token_times.resize(slot->seen.token_events);
    loop_.requests.push_back({slot->seen, slot->token_times});
  }

  Recorder recorder_;
  std::mt19937_64 random_;
  const bool streaming_;
  const int warm_up_, share_;
  int started_ = 0, measured_ended_ = 0;
  int64_t stop_ = kNoTime;
  std::vector<std::unique_ptr<Slot>> live_;
  Loop loop_;
};

bool Inside(int64_t t, const Loop& loop) { return t >= loop.t0 && t < loop.t1; }

// Millitokens by looking at each token's own time.
double CreditByOracle(const Loop& loop) {
  double credit = 0;
  for (const Simulated& s : loop.requests) {
    if (s.record.outcome == Outcome::kFailed) continue;
    const double tokens = static_cast<double>(OutputSequenceLength(s.record));
    if (!s.record.streaming) {
      if (s.record.ok() && Inside(s.record.ended, loop)) credit += 1'000 * tokens;
      continue;
    }
    for (const int64_t t : s.token_times) {
      if (Inside(t, loop)) credit += 1'000 * tokens / static_cast<double>(s.token_times.size());
    }
  }
  return credit;
}

double InputCreditByOracle(const Loop& loop) {
  double credit = 0;
  for (const Simulated& s : loop.requests) {
    if (s.record.outcome == Outcome::kFailed || s.token_times.empty()) continue;
    if (!s.record.streaming && !s.record.ok()) continue;
    const int64_t at = s.record.streaming ? s.token_times.front() : s.record.ended;
    if (Inside(at, loop)) credit += 1'000.0 * static_cast<double>(InputSequenceLength(s.record));
  }
  return credit;
}

double IntegralByOracle(const Loop& loop) {
  double integral = 0;
  for (const Simulated& s : loop.requests) {
    integral += static_cast<double>(std::max<int64_t>(
        0, std::min(s.record.ended, loop.t1) - std::max(s.record.sent, loop.t0)));
  }
  return integral;
}

class RecorderWindow : public ::testing::TestWithParam<bool> {};

TEST_P(RecorderWindow, AgreesWithTheOracle) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Loop loop = ClosedLoop(8, 200, GetParam(), seed).Simulate();
    const WindowFacts& w = loop.window;
    ASSERT_TRUE(w.has_window);
    EXPECT_EQ(w.measured_requests, 200u);
    EXPECT_EQ(w.width_ns, static_cast<uint64_t>(loop.t1 - loop.t0));
    // Each request's part is rounded down by less than one millitoken.
    EXPECT_NEAR(static_cast<double>(w.output_millitokens), CreditByOracle(loop), 300) << seed;
    EXPECT_EQ(static_cast<double>(w.input_millitokens), InputCreditByOracle(loop)) << seed;
    EXPECT_EQ(static_cast<double>(w.in_flight_integral_ns), IntegralByOracle(loop)) << seed;
    EXPECT_EQ(w.successes, loop.facts.measured.ok);
    EXPECT_TRUE(loop.facts.measured.Conserved());
    EXPECT_TRUE(loop.facts.unmeasured.Conserved());
  }
}

TEST_P(RecorderWindow, HasASmallLittleResidual) {
  const WindowFacts w = ClosedLoop(8, 200, GetParam(), 99).Simulate().window;
  const double width = static_cast<double>(w.width_ns);
  const double concurrency = static_cast<double>(w.in_flight_integral_ns) / width;
  const double edges = (static_cast<double>(w.edge_age_end_ns) - static_cast<double>(w.edge_age_start_ns));
  const double residual = concurrency - static_cast<double>(w.ended_sojourn_ns) / width - edges / width;
  EXPECT_LT(std::abs(residual) / concurrency, 0.005);
  EXPECT_GT(concurrency, 0.98 * 8);
}

INSTANTIATE_TEST_SUITE_P(StreamingOrNot, RecorderWindow, ::testing::Bool());

TEST(Recorder, AFillerCancelledAtStopIsCreditedItsEventsSoFar) {
  Recorder recorder(Options());
  RequestRecord filler = Request(0, 0);
  filler.measured = false;
  recorder.OnSend(filler);
  filler.AddTokenEvent(filler.sent + 10 * kMs, true, true);
  RequestRecord* const in_flight[] = {&filler};
  recorder.BeginWindow(filler.sent + 20 * kMs, in_flight);
  filler.AddTokenEvent(filler.sent + 30 * kMs, true, true);
  filler.AddTokenEvent(filler.sent + 40 * kMs, true, true);
  recorder.EndWindow(filler.sent + 50 * kMs, in_flight);
  filler.AddTokenEvent(filler.sent + 60 * kMs, true, true);
  filler.outcome = Outcome::kCancelled;
  filler.ended = filler.sent + 70 * kMs;
  recorder.OnEnd(filler);
  EXPECT_EQ(recorder.window().output_millitokens, 2'000u);
  EXPECT_EQ(recorder.window().input_millitokens, 0u);  // its first token came before
  EXPECT_EQ(recorder.window().ended_in_window, 0u);
  EXPECT_EQ(recorder.window().in_flight_integral_ns, static_cast<uint64_t>(30 * kMs));
}

TEST(Recorder, TheWindowsSumsDoNotDependOnTheOrderOfStamps) {
  Recorder recorder(Options());
  recorder.BeginWindow(kOrigin, {});
  RequestRecord a = Request(0, 1), b = Request(10, 1);
  recorder.OnSend(a);
  recorder.OnSend(b);
  b.ended = kOrigin + 40 * kMs;
  a.ended = kOrigin + 30 * kMs;
  recorder.OnEnd(b);
  recorder.OnEnd(a);  // stamped by the kernel before b's end, read after it
  recorder.EndWindow(kOrigin + 50 * kMs, {});
  EXPECT_EQ(recorder.window().in_flight_integral_ns, static_cast<uint64_t>(60 * kMs));
}

TEST(Recorder, WithoutAnEndThereIsNoWindow) {
  Recorder recorder(Options());
  recorder.BeginWindow(kOrigin, {});
  RunOne(Request(0, 3), &recorder);
  EXPECT_FALSE(recorder.window().has_window);
  EXPECT_TRUE(recorder.window_open());
}

// ---- The same stream over several recorders. ----

std::vector<RequestRecord> RecordedStream() {
  std::mt19937_64 random(4);
  std::vector<RequestRecord> records;
  for (int i = 0; i < 400; ++i) {
    RequestRecord r = Request(static_cast<int64_t>(random() % 1'000), static_cast<int>(random() % 20),
                              static_cast<Outcome>(1 + random() % 3));
    if (r.token_events == 0 && r.ok()) r.outcome = Outcome::kCancelled;
    r.measured = random() % 4 != 0;
    r.address = "10.0.0." + std::to_string(random() % 3) + ":80";
    r.excerpt = "error " + std::to_string(random() % 50);
    r.reads = static_cast<uint32_t>(random() % 9);
    if (random() % 2 == 0) r.usage_completion_tokens = r.token_events * 4;
    records.push_back(std::move(r));
  }
  return records;
}

std::string MergedBytes(const std::vector<RequestRecord>& records, size_t recorders) {
  std::vector<Recorder> parts;
  for (size_t i = 0; i < recorders; ++i) parts.emplace_back(Options(TwoObjectives()));
  MeasuredFacts merged;
  for (size_t i = 0; i < records.size(); ++i) {
    Recorder& part = parts[i % recorders];
    RunOne(records[i], &part);
    if (i % 97 == 0) merged.Merge(part.TakeFacts());
  }
  for (Recorder& part : parts) merged.Merge(part.TakeFacts());
  return EncodeDelta(merged).SerializeAsString();
}

TEST(Recorder, SplittingTheStreamOverRecordersChangesNoByte) {
  const std::vector<RequestRecord> records = RecordedStream();
  const std::string one = MergedBytes(records, 1);
  EXPECT_GT(one.size(), 1'000u);
  EXPECT_EQ(one, MergedBytes(records, 4));
  EXPECT_EQ(one, MergedBytes(records, 7));
}

}  // namespace
}  // namespace tidemark
