#ifndef TIDEMARK_AGENT_DECODE_SSE_DECODER_H_
#define TIDEMARK_AGENT_DECODE_SSE_DECODER_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/decode/stream_decoder.h"

namespace tidemark {

// Server-sent events by the WHATWG grammar: byte-order mark; LF, CR and CR LF line ends (a CR ends its
// line at once, an LF after it belongs to it); one optional space after the colon; `data:` lines joined
// with LF; comments, `id:`, `retry:` and unknown fields make no event, nor do events with empty data.
// Unlike a browser it delivers an event whose blank line is missing at the end of the body.
//
// An event that lies whole in the fed bytes is delivered from them, without a copy; otherwise its parts
// are kept in buffers of at most `max_event_bytes` each, which are re-used.
class SseDecoder final : public StreamDecoder {
 public:
  // `max_event_bytes` limits a line (any line) and the joined data of an event.
  explicit SseDecoder(size_t max_event_bytes = kDefaultMaxEventBytes);

  // After an error or a sink that returned false nothing more is decoded until Reset; the error is
  // returned again.
  absl::Status Feed(absl::string_view bytes, StreamEventSink& sink) override;
  absl::Status Finish(StreamEventSink& sink) override;
  void Reset() override;

 private:
  class LineEnds;

  absl::string_view SkipByteOrderMark(absl::string_view bytes);
  void OnLine(absl::string_view line, StreamEventSink& sink);
  void OnDataLine(absl::string_view value);
  void DispatchEvent(StreamEventSink& sink);
  void EndFedLine(absl::string_view end, StreamEventSink& sink);
  void KeepForNextFeed(absl::string_view rest);
  void ClearEvent();
  void Refuse(absl::string_view what);

  const size_t max_event_bytes_;
  std::string line_;            // the fed part of a line whose end is still to come
  std::string type_;
  std::string data_;            // the event's data once it is more than one line of one feed
  absl::string_view data_line_; // … while it is just that: a view into the fed bytes
  bool has_data_ = false;       // a data line came (it may have been empty)
  bool data_in_view_ = false;   // data_line_ holds the data, not data_
  bool skip_line_feed_ = false; // the last byte was a CR
  bool stopped_ = false;
  int mark_bytes_ = 0;          // matched bytes of a byte-order mark; kMarkDone: past it
  absl::Status status_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_DECODE_SSE_DECODER_H_
