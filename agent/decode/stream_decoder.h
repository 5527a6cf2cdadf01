#ifndef TIDEMARK_AGENT_DECODE_STREAM_DECODER_H_
#define TIDEMARK_AGENT_DECODE_STREAM_DECODER_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// One event of a stream. The views are valid only during the call.
struct StreamEvent {
  absl::string_view type;  // SSE's `event:` field; empty when there was none
  absl::string_view data;  // never empty
};

class StreamEventSink {
 public:
  virtual ~StreamEventSink() = default;
  // Returns false to stop decoding: the rest of the bytes is not looked at.
  virtual bool OnEvent(const StreamEvent& event) = 0;
};

// Cuts a body into events. A byte-level push parser: any split of the bytes gives the same
// events. Thread-compatible; allocates only while an event spans feeds, and keeps that memory.
class StreamDecoder {
 public:
  static constexpr size_t kDefaultMaxEventBytes = 1 << 20;

  virtual ~StreamDecoder() = default;

  // OutOfRange when a line or event is longer than the limit: the stream cannot be trusted further.
  virtual absl::Status Feed(absl::string_view bytes, StreamEventSink& sink) = 0;

  // The body ended: delivers an event that lacked its ending blank line.
  virtual absl::Status Finish(StreamEventSink& sink) = 0;

  virtual void Reset() = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_DECODE_STREAM_DECODER_H_
