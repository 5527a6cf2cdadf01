#include "agent/decode/sse_decoder.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";
constexpr int kMarkDone = 3;
// A buffer that one huge event made grow is given back when the stream ends.
constexpr size_t kKeptCapacity = 64 << 10;

void Recycle(std::string* buffer) {
  buffer->clear();
  if (buffer->capacity() > kKeptCapacity) buffer->shrink_to_fit();
}

}  // namespace

// Finds line ends in one feed. Each of the two searches remembers how far it looked, so that bytes are
// looked at once even when only one kind of line end is used.
class SseDecoder::LineEnds {
 public:
  explicit LineEnds(absl::string_view bytes)
      : end_(bytes.data() + bytes.size()),
        cr_(Find(bytes.data(), '\r')),
        lf_(Find(bytes.data(), '\n')) {}

  // The first CR or LF at or after `from`; the end of the bytes when there is none.
  const char* After(const char* from) {
    if (lf_ < from) lf_ = Find(from, '\n');
    if (cr_ < from) cr_ = Find(from, '\r');
    return std::min(lf_, cr_);
  }

 private:
  const char* Find(const char* from, char wanted) const {
    if (from == end_) return end_;
    const void* hit = std::memchr(from, wanted, static_cast<size_t>(end_ - from));
    return hit == nullptr ? end_ : static_cast<const char*>(hit);
  }

  const char* const end_;
  const char* cr_;
  const char* lf_;
};

SseDecoder::SseDecoder(size_t max_event_bytes) : max_event_bytes_(max_event_bytes) {}

absl::Status SseDecoder::Feed(absl::string_view bytes, StreamEventSink& sink) {
  if (stopped_ || bytes.empty()) return status_;
  bytes = SkipByteOrderMark(bytes);
  LineEnds ends(bytes);
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end && !stopped_) {
    if (skip_line_feed_) {
      skip_line_feed_ = false;
      if (*at == '\n') {
        ++at;
        continue;
      }
    }
    const char* line_end = ends.After(at);
    const absl::string_view piece(at, static_cast<size_t>(line_end - at));
    if (line_end == end) {
      KeepForNextFeed(piece);
      break;
    }
    EndFedLine(piece, sink);
    skip_line_feed_ = *line_end == '\r';
    at = line_end + 1;
  }
  if (!stopped_ && data_in_view_) {
    data_.assign(data_line_.data(), data_line_.size());
    data_in_view_ = false;
  }
  return status_;
}

absl::Status SseDecoder::Finish(StreamEventSink& sink) {
  if (!stopped_ && !line_.empty()) EndFedLine(absl::string_view(), sink);
  if (!stopped_) DispatchEvent(sink);
  return status_;
}

void SseDecoder::Reset() {
  Recycle(&line_);
  Recycle(&type_);
  Recycle(&data_);
  ClearEvent();
  skip_line_feed_ = stopped_ = false;
  mark_bytes_ = 0;
  status_ = absl::OkStatus();
}

// A mark may be cut over feeds; bytes that turn out to be none go into the first line.
absl::string_view SseDecoder::SkipByteOrderMark(absl::string_view bytes) {
  while (mark_bytes_ != kMarkDone && !bytes.empty()) {
    if (bytes.front() == kByteOrderMark[mark_bytes_]) {
      ++mark_bytes_;
      bytes.remove_prefix(1);
    } else {
      line_.append(kByteOrderMark, static_cast<size_t>(mark_bytes_));
      mark_bytes_ = kMarkDone;
    }
  }
  return bytes;
}

void SseDecoder::EndFedLine(absl::string_view end, StreamEventSink& sink) {
  if (line_.size() + end.size() > max_event_bytes_) return Refuse("line");
  if (line_.empty()) return OnLine(end, sink);
  line_.append(end.data(), end.size());
  // The event may take the line's bytes as its data; they must outlive this call within the feed.
  OnLine(line_, sink);
  if (data_in_view_ && data_line_.data() >= line_.data() &&
      data_line_.data() <= line_.data() + line_.size()) {
    data_.assign(data_line_.data(), data_line_.size());
    data_in_view_ = false;
  }
  line_.clear();
}

void SseDecoder::KeepForNextFeed(absl::string_view rest) {
  if (line_.size() + rest.size() > max_event_bytes_) return Refuse("line");
  line_.append(rest.data(), rest.size());
}

void SseDecoder::OnLine(absl::string_view line, StreamEventSink& sink) {
  if (line.empty()) return DispatchEvent(sink);
  const size_t colon = line.find(':');
  const absl::string_view field = line.substr(0, colon);
  absl::string_view value = colon == absl::string_view::npos ? "" : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (field == "data") {
    OnDataLine(value);
  } else if (field == "event") {
    type_.assign(value.data(), value.size());
  }
}

void SseDecoder::OnDataLine(absl::string_view value) {
  if (!has_data_) {
    has_data_ = data_in_view_ = true;
    data_line_ = value;
    return;
  }
  if (data_in_view_) {
    data_.assign(data_line_.data(), data_line_.size());
    data_in_view_ = false;
  }
  if (data_.size() + 1 + value.size() > max_event_bytes_) return Refuse("event");
  data_.push_back('\n');
  data_.append(value.data(), value.size());
}

void SseDecoder::DispatchEvent(StreamEventSink& sink) {
  const absl::string_view data =
      !has_data_ ? absl::string_view() : data_in_view_ ? data_line_ : absl::string_view(data_);
  if (!data.empty() && !sink.OnEvent(StreamEvent{type_, data})) stopped_ = true;
  ClearEvent();
}

void SseDecoder::ClearEvent() {
  type_.clear();
  data_.clear();
  has_data_ = data_in_view_ = false;
}

void SseDecoder::Refuse(absl::string_view what) {
  stopped_ = true;
  data_in_view_ = false;
  status_ = absl::OutOfRangeError(
      absl::StrCat("a server-sent ", what, " is longer than ", max_event_bytes_, " bytes"));
}

}  // namespace tidemark
