#ifndef TIDEMARK_TESTS_UNIT_COMMON_RANDOM_FACTS_H_
#define TIDEMARK_TESTS_UNIT_COMMON_RANDOM_FACTS_H_

#include <random>
#include <string>

#include "common/measurement/facts.h"

// Adds one random event to each kind of facts, as the recorder would: the whole is what many events
// give in one object, the parts what they give spread over several.
namespace tidemark {

using Random = std::mt19937_64;

inline constexpr size_t kRandomSlas = 2;

// A value of any octave, at times beyond the largest bucket.
inline uint64_t RandomValue(Random& random) { return (random() >> 28) >> (random() % 36); }

inline void AddRandomEvent(Random& random, Histogram& out) { out.Record(RandomValue(random)); }

inline void AddRandomEvent(Random& random, OutcomeCounts& out) {
  uint64_t* const ends[] = {&out.ok, &out.failed, &out.cancelled, &out.unfinished};
  ++out.sent;
  ++*ends[random() % 4];
}

inline void AddRandomEvent(Random& random, SlaEvidence& out) {
  ++out.n;
  out.v += random() % 2;
  out.histogram.Record(RandomValue(random));
}

inline void AddRandomEvent(Random& random, SliceRow& out) {
  ++out.n;
  out.ended += random() % 2;
  out.tokens += random() % 100;
  out.sla.resize(kRandomSlas);
  AddRandomEvent(random, out.sla[random() % kRandomSlas]);
}

inline void AddRandomEvent(Random& random, AddressFacts& out) {
  ++out.requests;
  out.errors += random() % 2;
  out.time_to_first_token.Record(RandomValue(random));
}

inline void AddRandomFailure(Random& random, MeasuredFacts& out) {
  FailureExample example;
  example.failure_class = "http_" + std::to_string(500 + random() % 3);
  example.status = static_cast<int32_t>(random() % 2);
  example.excerpt = std::string(random() % 20, 'x');
  example.age_us = random() % 10;
  ++out.failures[example.failure_class];
  out.AddExample(example);
}

inline void AddRandomCounters(Random& random, MeasuredFacts& out) {
  uint64_t* const counters[] = {&out.output_tokens,           &out.input_tokens,
                                &out.failed_tokens, &out.usage_from_server,
                                &out.usage_from_chunks,       &out.usage_from_tokenizer,
                                &out.usage_from_events,       &out.length_missed,
                                &out.in_flight_now,           &out.done_but_open,
                                &out.connection_reused_stale, &out.data_after_done,
                                &out.multi_event_reads,       &out.reads,
                                &out.sent_output_tokens,      &out.sent_input_tokens};
  for (uint64_t* counter : counters) *counter += random() % 1000;
}

inline void AddRandomEvent(Random& random, MeasuredFacts& out) {
  AddRandomEvent(random, random() % 2 == 0 ? out.measured : out.unmeasured);
  out.histograms[random() % kMetricCount].Record(RandomValue(random));
  AddRandomEvent(random, out.slices[static_cast<uint32_t>(random() % 50)]);
  AddRandomEvent(random, out.addresses["10.0.0." + std::to_string(random() % 3)]);
  AddRandomFailure(random, out);
  AddRandomCounters(random, out);
}

// What is summed only: the rest of SelfCheckFacts is of one loop, or of the process.
inline void AddRandomEvent(Random& random, SelfCheckFacts& out) {
  out.send_lateness_us.Record(RandomValue(random));
  out.slot_turnaround_us.Record(RandomValue(random));
  out.reader_delay_us.Record(RandomValue(random));
  out.sockets_opened += random() % 5;
  out.reads += random() % 5;
}

}  // namespace tidemark

#endif  // TIDEMARK_TESTS_UNIT_COMMON_RANDOM_FACTS_H_
