#include "tests/support/memory_transport.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/virtual_loop.h"

namespace tidemark {
namespace {

constexpr int64_t kMilli = kNanosPerMilli;

class Journal final : public ResponseHandler {
 public:
  explicit Journal(EventLoop* loop) : loop_(loop), start_(loop->Now()) {}
  void OnResent(int64_t) override {}
  void OnConnected(int64_t, absl::string_view) override { Note("connected"); }
  void OnTlsDone(int64_t, absl::string_view) override {}
  void OnStatus(int status, int64_t) override { Note(absl::StrCat("status ", status)); }
  void OnHeader(absl::string_view, absl::string_view) override {}
  void OnHeadersEnd(int64_t) override {}
  bool OnBody(absl::string_view bytes, int64_t, uint64_t) override {
    Note(absl::StrCat("body ", bytes));
    return wants_more;
  }
  void OnResponseEnd(bool clean, int64_t) override { Note(clean ? "end" : "cut"); }
  void OnFailure(FailureClass failure, int64_t, absl::string_view) override {
    Note(FailureClassName(failure, 0));
  }

  bool wants_more = true;
  std::string text;

 private:
  void Note(const std::string& what) {
    absl::StrAppend(&text, (loop_->Now() - start_) / kMilli, " ", what, "; ");
  }
  EventLoop* const loop_;
  const int64_t start_;
};

class MemoryTransportTest : public ::testing::Test {
 protected:
  void Play(std::vector<WireStep> steps) {
    MemoryTransport transport(&loop_, 1, [&](const SentRequest&) { return steps; });
    transport.Send(0, {0, 0, "body"}, &journal_);
    loop_.RunForMillis(100);
    open_ = transport.counters().connections_open;
  }
  VirtualLoop loop_;
  Journal journal_{&loop_};
  uint64_t open_ = 0;
};

TEST_F(MemoryTransportTest, PlaysTheStepsInVirtualTime) {
  Play({MemoryTransport::Head(2 * kMilli), MemoryTransport::Body(5 * kMilli, "x"),
        MemoryTransport::End(9 * kMilli)});
  EXPECT_EQ(journal_.text, "0 connected; 2 status 200; 5 body x; 9 end; ");
  EXPECT_EQ(open_, 1u);
}

TEST_F(MemoryTransportTest, ARefusedBodyEndsAllAndClosesTheConnection) {
  journal_.wants_more = false;
  Play({MemoryTransport::Body(0, "x"), MemoryTransport::Body(0, "y"), MemoryTransport::End(0)});
  EXPECT_EQ(journal_.text, "0 connected; 0 body x; ");
  EXPECT_EQ(open_, 0u);
}

TEST_F(MemoryTransportTest, AFailureClosesTheConnection) {
  Play({MemoryTransport::Failure(kMilli, FailureClass::kConnectionReset),
        MemoryTransport::Body(kMilli, "late")});
  EXPECT_EQ(journal_.text, "0 connected; 1 connection_reset; ");
  EXPECT_EQ(open_, 0u);
}

TEST_F(MemoryTransportTest, AnAbortedRequestHearsNothingMoreAndItsSlotIsFree) {
  MemoryTransport transport(&loop_, 1, [](const SentRequest& request) {
    return std::vector<WireStep>{
        MemoryTransport::Body(5 * kMilli, absl::StrCat("of ", request.number))};
  });
  transport.Send(0, {0, 0, "a"}, &journal_);
  transport.Abort(0);
  transport.Send(0, {0, 0, "b"}, &journal_);
  loop_.RunForMillis(10);
  EXPECT_EQ(journal_.text, "0 connected; 5 body of 1; ");
  EXPECT_EQ(transport.in_flight(), 1u);
  EXPECT_EQ(transport.counters().connections_opened, 2u);
}

TEST(VirtualLoop, TimeStandsBetweenTimersAndGoesToTheEndAsked) {
  VirtualLoop loop(100);
  std::vector<int64_t> seen;
  loop.At(110, [&] {
    seen.push_back(loop.Now());
    loop.At(115, [&] { seen.push_back(loop.Now()); });
  });
  loop.At(130, [&] { seen.push_back(loop.Now()); });
  loop.RunUntil(120);
  EXPECT_EQ(seen, (std::vector<int64_t>{110, 115}));
  EXPECT_EQ(loop.Now(), 120);
}

}  // namespace
}  // namespace tidemark
