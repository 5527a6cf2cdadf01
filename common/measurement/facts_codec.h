#ifndef TIDEMARK_COMMON_MEASUREMENT_FACTS_CODEC_H_
#define TIDEMARK_COMMON_MEASUREMENT_FACTS_CODEC_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/measurement/facts.h"
#include "proto/tidemark/v1/measurement.pb.h"

// Facts to and from the wire. Decoding validates: the core never sees an unvalidated message. Errors
// are InvalidArgument and name the field.
namespace tidemark {

// `delta` without its sequence. Unlike a decoded one it may be larger than a message may be: see
// SplitDelta.
v1::Delta EncodeDelta(const MeasuredFacts& facts);
absl::StatusOr<MeasuredFacts> DecodeDelta(const v1::Delta& delta, size_t sla_count);

// Splits into deltas of at most `max_bytes` each whose merge is `facts`; at least one. No single
// histogram or slice row is larger than `max_bytes` for max_bytes >= 48 KiB.
std::vector<v1::Delta> SplitDelta(const MeasuredFacts& facts, size_t max_bytes);

v1::FinalSnapshot EncodeSnapshot(const FinalSnapshot& snapshot);
absl::StatusOr<FinalSnapshot> DecodeSnapshot(const v1::FinalSnapshot& snapshot);

v1::OutcomeCounts EncodeCounts(const OutcomeCounts& counts);
v1::WindowFacts EncodeWindow(const WindowFacts& window);
v1::SelfCheckFacts EncodeSelfCheck(const SelfCheckFacts& facts);
v1::SliceRow EncodeSlice(uint32_t slice, const SliceRow& row);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_MEASUREMENT_FACTS_CODEC_H_
