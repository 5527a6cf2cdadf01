#include "agent/decode/sse_decoder.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

// Collects events as "type|data", or "data" where there was no type.
class Collector : public StreamEventSink {
 public:
  explicit Collector(size_t stop_after = SIZE_MAX) : stop_after_(stop_after) {}

  bool OnEvent(const StreamEvent& event) override {
    datas.push_back(event.data.data());
    events.push_back((event.type.empty() ? "" : std::string(event.type) + "|") +
                     std::string(event.data));
    return events.size() < stop_after_;
  }

  std::vector<std::string> events;
  std::vector<const char*> datas;

 private:
  size_t stop_after_;
};

using Events = std::vector<std::string>;

Events Decode(const std::vector<std::string>& feeds) {
  SseDecoder decoder;
  Collector sink;
  for (const std::string& feed : feeds) EXPECT_TRUE(decoder.Feed(feed, sink).ok());
  EXPECT_TRUE(decoder.Finish(sink).ok());
  return sink.events;
}

struct Case {
  const char* name;
  std::string body;
  Events events;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case>* const kCases = new std::vector<Case>{
      {"line feeds", "data: a\n\ndata: b\n\n", {"a", "b"}},
      {"carriage returns", "data: a\r\rdata: b\r\r", {"a", "b"}},
      {"both", "data: a\r\n\r\ndata: b\r\n\r\n", {"a", "b"}},
      {"mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\r", {"a", "b", "c", "d"}},
      {"no space", "data:a\n\n", {"a"}},
      {"one space of two is stripped", "data:  a \n\n", {" a "}},
      {"tab is kept", "data:\ta\n\n", {"\ta"}},
      {"lines are joined with LF", "data: a\ndata: b\r\ndata\rdata:c\n\n", {"a\nb\n\nc"}},
      {"type", "event: error\ndata: a\n\ndata: b\n\n", {"error|a", "b"}},
      {"last type wins", "event: x\ndata: a\nevent: y\n\n", {"y|a"}},
      {"type without data is nothing", "event: x\n\ndata: a\n\n", {"a"}},
      {"empty data is nothing", "data:\n\ndata: \n\ndata\n\ndata: a\n\n", {"a"}},
      {"two empty data lines are an LF", "data\ndata\n\n", {"\n"}},
      {"comments", ":\n\n: ping\ndata: a\n:x\n\n", {"a"}},
      {"id, retry and unknown fields", "id: 1\nretry: 10\nfoo: bar\ndata: a\n\nid: 2\n\n", {"a"}},
      {"field names are exact", "Data: a\n data: b\ndatax: c\ndata: d\n\n", {"d"}},
      {"colon in the value", "data: {\"a\":1}\n\n", {"{\"a\":1}"}},
      {"byte-order mark", "\xEF\xBB\xBF" "data: a\n\n", {"a"}},
      {"only one mark", "\xEF\xBB\xBF\xEF\xBB\xBF" "data: a\n\ndata: b\n\n", {"b"}},
      {"half a mark", "\xEF\xBB" "data: a\n\ndata: b\n\n", {"b"}},
      {"mark alone", "\xEF\xBB\xBF", {}},
      {"last event open", "data: a\n\ndata: b", {"a", "b"}},
      {"last event lacks the blank line", "data: a\n\nevent: x\ndata: b\n", {"a", "x|b"}},
      {"last event ends in CR", "data: b\r", {"b"}},
      {"last field has no data", "data: a\n\nevent: x", {"a"}},
      {"NUL and UTF-8", std::string("data: \0n\xC3\xA9\n\n", 12), {std::string("\0n\xC3\xA9", 4)}},
      {"blank lines only", "\n\r\n\r\r\n\n", {}},
      {"nothing", "", {}},
  };
  return *kCases;
}

TEST(SseDecoder, FollowsTheGrammar) {
  for (const Case& c : Cases()) EXPECT_EQ(Decode({c.body}), c.events) << c.name;
}

TEST(SseDecoder, GivesTheSameEventsAtEverySplitPoint) {
  for (const Case& c : Cases()) {
    for (size_t i = 0; i <= c.body.size(); ++i) {
      for (size_t j = i; j <= c.body.size(); ++j) {
        EXPECT_EQ(Decode({c.body.substr(0, i), c.body.substr(i, j - i), c.body.substr(j)}), c.events)
            << c.name << " cut at " << i << " and " << j;
      }
    }
  }
}

TEST(SseDecoder, GivesTheSameEventsByteByByte) {
  for (const Case& c : Cases()) {
    std::vector<std::string> bytes;
    for (const char byte : c.body) bytes.emplace_back(1, byte);
    EXPECT_EQ(Decode(bytes), c.events) << c.name;
  }
}

TEST(SseDecoder, DeliversAtTheCarriageReturnThatEndsTheBlankLine) {
  SseDecoder decoder;
  Collector sink;
  ASSERT_TRUE(decoder.Feed("data: a\r\n\r", sink).ok());
  EXPECT_EQ(sink.events, Events{"a"});
  ASSERT_TRUE(decoder.Feed("\ndata: b\n\n", sink).ok());
  EXPECT_EQ(sink.events, (Events{"a", "b"}));
}

TEST(SseDecoder, DeliversAnEventOfOneFeedWithoutCopying) {
  const std::string body = "data: abc\n\n";
  SseDecoder decoder;
  Collector sink;
  ASSERT_TRUE(decoder.Feed(body, sink).ok());
  ASSERT_EQ(sink.datas.size(), 1u);
  EXPECT_EQ(sink.datas[0], body.data() + 6);
}

TEST(SseDecoder, KeepsNoViewOfBytesOfAnEarlierFeed) {
  SseDecoder decoder;
  Collector sink;
  std::string feed = "data: first line\n";
  ASSERT_TRUE(decoder.Feed(feed, sink).ok());
  feed.assign(feed.size(), '#');
  ASSERT_TRUE(decoder.Feed("\n", sink).ok());
  EXPECT_EQ(sink.events, Events{"first line"});
}

TEST(SseDecoder, StopsWhenTheSinkSaysSo) {
  SseDecoder decoder;
  Collector sink(1);
  ASSERT_TRUE(decoder.Feed("data: a\n\ndata: b\n\n", sink).ok());
  ASSERT_TRUE(decoder.Feed("data: c\n\n", sink).ok());
  ASSERT_TRUE(decoder.Finish(sink).ok());
  EXPECT_EQ(sink.events, Events{"a"});
}

TEST(SseDecoder, ResetForgetsTheStream) {
  SseDecoder decoder;
  Collector sink;
  ASSERT_TRUE(decoder.Feed("data: a\nevent: x\ndata: half a li", sink).ok());
  decoder.Reset();
  ASSERT_TRUE(decoder.Feed("\xEF\xBB\xBF" "data: b\n\n", sink).ok());
  EXPECT_EQ(sink.events, Events{"b"});
}

// Feeds `bytes` in pieces of `piece`; the first error.
absl::Status FeedInPieces(SseDecoder& decoder, const std::string& bytes, size_t piece,
                          StreamEventSink& sink) {
  absl::Status status;
  for (size_t i = 0; i < bytes.size() && status.ok(); i += piece) {
    status = decoder.Feed(absl::string_view(bytes).substr(i, piece), sink);
  }
  return status;
}

TEST(SseDecoder, RefusesALineOverTheLimitAtAnySplit) {
  for (size_t piece = 1; piece <= 40; ++piece) {
    for (const std::string line : {"data: 0123456789a", ": comment comment", "xxxxxxxxxxxxxxxxx"}) {
      SseDecoder decoder(16);
      Collector sink;
      const absl::Status status = FeedInPieces(decoder, "data: ok\n\n" + line + "\n\n", piece, sink);
      EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << line << " by " << piece;
      EXPECT_EQ(sink.events, Events{"ok"});
      EXPECT_EQ(decoder.Finish(sink).code(), absl::StatusCode::kOutOfRange);
    }
  }
}

TEST(SseDecoder, TakesALineOfExactlyTheLimit) {
  SseDecoder decoder(16);
  Collector sink;
  EXPECT_TRUE(FeedInPieces(decoder, "data: 0123456789\n\n", 5, sink).ok());
  EXPECT_EQ(sink.events, Events{"0123456789"});
}

TEST(SseDecoder, RefusesAnEventOverTheLimitThoughItsLinesAreShort) {
  SseDecoder decoder(16);
  Collector sink;
  EXPECT_TRUE(decoder.Feed("data: 01234567\ndata: 0123456\n", sink).ok());
  EXPECT_EQ(decoder.Feed("data\n", sink).code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(sink.events.empty());
}

TEST(SseDecoder, RefusesAnEndlessLineAtOneMebibyte) {
  SseDecoder decoder;
  Collector sink;
  const std::string kib(1024, 'x');
  int fed = 0;
  while (fed < 2048 && decoder.Feed(kib, sink).ok()) ++fed;
  EXPECT_EQ(fed, 1024);
}

}  // namespace
}  // namespace tidemark
