#include "agent/session/record_upload.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <memory>
#include <thread>

#include "common/clock/clock.h"

namespace tidemark {
namespace {

constexpr int64_t kBound = 20 * kNanosPerSecond;
constexpr int64_t kLook = 5 * kNanosPerMilli;

// Keeps what is uploaded as the coordinator does; may have some already, or never acknowledge.
class Keeper final : public v1::AgentSession::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::RecordAck, v1::RecordChunk>;

  grpc::Status UploadRecords(grpc::ServerContext* context, Stream* stream) override {
    v1::RecordChunk chunk;
    while (stream->Read(&chunk)) {
      if (silent) return AwaitCancel(context);
      if (chunk.offset() > kept.size()) return {grpc::StatusCode::OUT_OF_RANGE, "a gap"};
      const size_t seen = kept.size() - chunk.offset();
      if (seen < chunk.data().size()) kept += chunk.data().substr(seen);
      complete = complete || chunk.last();
      ++chunks;
      v1::RecordAck ack;
      ack.set_offset(kept.size());
      stream->Write(ack);
    }
    return grpc::Status::OK;
  }

  bool silent = false;
  std::string kept;
  bool complete = false;
  int chunks = 0;
  std::atomic<bool> blocked{false}, saw_cancel{false};

 private:
  grpc::Status AwaitCancel(grpc::ServerContext* context) {
    blocked = true;
    const int64_t end = RealClock().MonotonicNanos() + kBound;
    while (!context->IsCancelled() && RealClock().MonotonicNanos() < end) SleepFor(kLook);
    saw_cancel = context->IsCancelled();
    return grpc::Status::CANCELLED;
  }
};

class RecordUploadTest : public testing::Test {
 protected:
  RecordUploadTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&keeper_);
    server_ = builder.BuildAndStart();
    grpc::ChannelArguments arguments;
    stub_ = v1::AgentSession::NewStub(server_->InProcessChannel(arguments));
  }
  ~RecordUploadTest() override {
    server_->Shutdown(std::chrono::system_clock::now());
    std::remove(path_.c_str());
  }

  // Lines of 100 bytes.
  void Spool(int lines) {
    std::ofstream out(path_, std::ios::binary);
    for (int i = 0; i < lines; ++i) {
      const std::string line = std::to_string(i);
      spooled_ += line + std::string(99 - line.size(), '.') + "\n";
    }
    out << spooled_;
  }
  absl::Status Upload() { return UploadRecordSpool(path_, {"job", 0, 1}, "agent-1", stub_.get(), &cancellation_); }

  const std::string path_ = testing::TempDir() + "record_upload_test.jsonl";
  std::string spooled_;
  Keeper keeper_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::AgentSession::Stub> stub_;
  Cancellation cancellation_;
};

TEST_F(RecordUploadTest, SendsTheWholeSpoolInChunks) {
  Spool(30'000);
  EXPECT_TRUE(Upload().ok());
  EXPECT_TRUE(keeper_.kept == spooled_);
  EXPECT_TRUE(keeper_.complete);
  EXPECT_EQ(keeper_.chunks, 3);
}

TEST_F(RecordUploadTest, AnEmptySpoolIsCompleteToo) {
  Spool(0);
  EXPECT_TRUE(Upload().ok());
  EXPECT_TRUE(keeper_.complete);
}

TEST_F(RecordUploadTest, PassesOverWhatABrokenStreamLeft) {
  Spool(30'000);
  keeper_.kept = spooled_.substr(0, 25'000 * 100);
  EXPECT_TRUE(Upload().ok());
  EXPECT_TRUE(keeper_.kept == spooled_);
  EXPECT_EQ(keeper_.chunks, 2);
}

TEST_F(RecordUploadTest, EndsAlsoWhenAllIsKeptAlready) {
  Spool(30'000);
  keeper_.kept = spooled_;
  EXPECT_TRUE(Upload().ok());
  EXPECT_TRUE(keeper_.kept == spooled_);
  EXPECT_TRUE(keeper_.complete);
}

TEST_F(RecordUploadTest, RefusesAnAcknowledgementBeyondTheSpool) {
  Spool(10);
  keeper_.kept = spooled_ + "more";
  EXPECT_TRUE(absl::IsUnavailable(Upload()));
}

TEST_F(RecordUploadTest, CancelEndsAnUploadThatIsBlocked) {
  Spool(10);
  keeper_.silent = true;
  absl::Status status;
  std::thread upload([&] { status = Upload(); });
  const int64_t end = RealClock().MonotonicNanos() + kBound;
  while (!keeper_.blocked && RealClock().MonotonicNanos() < end) SleepFor(kLook);
  cancellation_.Cancel();
  upload.join();
  EXPECT_TRUE(absl::IsUnavailable(status));
  while (!keeper_.saw_cancel && RealClock().MonotonicNanos() < end) SleepFor(kLook);
  EXPECT_TRUE(keeper_.saw_cancel);
}

TEST_F(RecordUploadTest, ASpoolThatIsGoneIsNotFound) { EXPECT_TRUE(absl::IsNotFound(Upload())); }

}  // namespace
}  // namespace tidemark
