// Any bytes, cut anywhere, give the events that a plain reading of the grammar gives.
// Input: the first byte chooses the cuts; the rest is the body.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agent/decode/sse_decoder.h"
#include "tests/fuzz/fuzz_check.h"

namespace tidemark {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

class Collector : public StreamEventSink {
 public:
  bool OnEvent(const StreamEvent& event) override {
    FUZZ_CHECK(!event.data.empty());
    events.emplace_back(std::string(event.type), std::string(event.data));
    return true;
  }
  Events events;
};

// The grammar read line by line over the whole body, with no thought of speed.
class PlainReading {
 public:
  Events Read(std::string body) {
    if (body.compare(0, 3, "\xEF\xBB\xBF") == 0) body.erase(0, 3);
    std::string line;
    for (size_t i = 0; i < body.size(); ++i) {
      if (body[i] != '\r' && body[i] != '\n') {
        line.push_back(body[i]);
        continue;
      }
      if (body[i] == '\r' && i + 1 < body.size() && body[i + 1] == '\n') ++i;
      Line(std::exchange(line, ""));
    }
    if (!line.empty()) Line(line);
    Line("");
    return events_;
  }

 private:
  void Line(const std::string& line) {
    if (line.empty()) return Dispatch();
    const size_t colon = line.find(':');
    const std::string field = line.substr(0, colon);
    std::string value = colon == std::string::npos ? "" : line.substr(colon + 1);
    if (value.compare(0, 1, " ") == 0) value.erase(0, 1);
    if (field == "event") type_ = value;
    if (field == "data") data_ += value + "\n";
  }

  void Dispatch() {
    if (data_.size() > 1) events_.emplace_back(type_, data_.substr(0, data_.size() - 1));
    type_.clear();
    data_.clear();
  }

  std::string type_, data_;
  Events events_;
};

Events Decode(const std::string& body, size_t piece) {
  SseDecoder decoder;
  Collector sink;
  for (size_t i = 0; i < body.size(); i += piece) {
    // A copy of its own for each feed: a view kept past it would be seen by the address sanitizer.
    const std::string feed = body.substr(i, piece);
    FUZZ_CHECK(decoder.Feed(feed, sink).ok());
  }
  FUZZ_CHECK(decoder.Finish(sink).ok());
  return sink.events;
}

}  // namespace
}  // namespace tidemark

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  if (size < 1 || size > SseDecoder::kDefaultMaxEventBytes) return 0;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Events expected = PlainReading().Read(body);
  FUZZ_CHECK(Decode(body, SIZE_MAX / 2) == expected);
  FUZZ_CHECK(Decode(body, 1) == expected);
  FUZZ_CHECK(Decode(body, 1 + data[0] % 64) == expected);
  return 0;
}
