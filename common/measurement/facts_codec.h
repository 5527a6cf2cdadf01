#ifndef TIDEMARK_COMMON_MEASUREMENT_FACTS_CODEC_H_
#define TIDEMARK_COMMON_MEASUREMENT_FACTS_CODEC_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/measurement/facts.h"
#include "proto/tidemark/v1/measurement.pb.h"

// Facts to and from the wire. Decoding validates each field: the core never sees an unvalidated
// message. Conservation (OutcomeCounts::Conserved) is not checked here: books that do not balance
// are a finding about the level, not a malformed message. Errors are InvalidArgument and name the
// field. Encoding is canonical: equal facts give equal messages. All functions are pure.
namespace tidemark {

// `delta` without its sequence. Unlike a decoded one it may be larger than a message may be: see
// SplitDelta.
v1::Delta EncodeDelta(const MeasuredFacts& facts);
absl::StatusOr<MeasuredFacts> DecodeDelta(const v1::Delta& delta, size_t sla_count);

// Splits into deltas of at most `max_bytes` each (room for a sequence number included) whose merge
// is `facts`; at least one. All counts are in the first. What cannot be divided (a histogram, a
// slice row, an address's facts) and alone exceeds `max_bytes` travels alone in a delta larger than
// that; a histogram comes to at most 2 bytes a bucket that is not empty while no bucket has more
// than 127.
std::vector<v1::Delta> SplitDelta(const MeasuredFacts& facts, size_t max_bytes);

v1::FinalSnapshot EncodeSnapshot(const FinalSnapshot& snapshot);
absl::StatusOr<FinalSnapshot> DecodeSnapshot(const v1::FinalSnapshot& snapshot);

v1::OutcomeCounts EncodeCounts(const OutcomeCounts& counts);
v1::WindowFacts EncodeWindow(const WindowFacts& window);
v1::SelfCheckFacts EncodeSelfCheck(const SelfCheckFacts& facts);
v1::SliceRow EncodeSlice(uint32_t slice, const SliceRow& row);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_MEASUREMENT_FACTS_CODEC_H_
