#include "coordinator/rpc/benchmark_streams.h"

#include <optional>
#include <string>
#include <utility>

#include "common/mutex.h"
#include "common/rpc/grpc_status.h"
#include "coordinator/rpc/answer_once.h"
#include "coordinator/rpc/artifact_reader.h"
#include "coordinator/rpc/update_queue.h"

namespace tidemark {
namespace {

// A stream of messages to a client: one write at a time, and the end only when none is under way, as gRPC
// demands. Callbacks that others hold may outlive the call. Thread-safe.
template <typename T>
class WriteStream : public grpc::ServerWriteReactor<T> {
 public:
  explicit WriteStream(std::shared_ptr<void> slot) : slot_(std::move(slot)) {}

  void OnWriteDone(bool ok) final {
    {
      MutexLock lock(mutex_);
      writing_ = false;
      if (!ok && !end_) end_ = grpc::Status::CANCELLED;
    }
    if (ok) Written();
    Go();
  }

  void OnCancel() final { End(grpc::Status::CANCELLED); }

  void OnDone() final {
    const std::shared_ptr<WriteStream> self = std::move(self_);
    Done();
    slot_.reset();
  }

 protected:
  // `self` is kept until the call is done.
  void Hold(std::shared_ptr<WriteStream> self) { self_ = std::move(self); }

  // Does what there is to do: the end, or the next message. Not with mutex_ held.
  void Go() TIDEMARK_EXCLUDES(mutex_) {
    bool write = false;
    std::optional<grpc::Status> end;
    {
      MutexLock lock(mutex_);
      if (writing_ || finished_) return;
      if (!end_) write = Next(&current_);
      writing_ = write;
      if (end_) {
        finished_ = true;
        end = end_;
      }
    }
    if (write) this->StartWrite(&current_);
    if (end) this->Finish(*end);
  }

  // The first end counts; nothing is written after it.
  void End(const grpc::Status& status) TIDEMARK_EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (!end_) end_ = status;
    }
    Go();
  }

  Mutex mutex_;
  std::optional<grpc::Status> end_ TIDEMARK_GUARDED_BY(mutex_);

 private:
  // Moves the next message into `message`; false when there is none yet, or when it sets end_.
  virtual bool Next(T* message) TIDEMARK_REQUIRES(mutex_) = 0;
  virtual void Written() {}
  virtual void Done() {}

  std::shared_ptr<void> slot_;
  std::shared_ptr<WriteStream> self_;
  T current_;  // what is being written
  bool writing_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool finished_ TIDEMARK_GUARDED_BY(mutex_) = false;
};

class WatchStream final : public WriteStream<v1::JobUpdate>, public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(std::shared_ptr<void> slot, std::shared_ptr<UpdateBudget> budget)
      : WriteStream(std::move(slot)), queue_(std::move(budget)) {}

  void Start(BenchmarkHandler* handler, const v1::WatchJobRequest& request) {
    const std::shared_ptr<WatchStream> self = shared_from_this();
    Hold(self);
    handler_ = handler;
    watcher_ = handler->Watch(
        request, [self](const v1::JobUpdate& update) { self->Push(update); },
        [self](const absl::Status& status) { self->NoMore(ToGrpc(status)); });
  }

 private:
  void Push(const v1::JobUpdate& update) {
    {
      MutexLock lock(mutex_);
      if (end_ || last_) return;
      if (!queue_.Push(update)) {
        queue_.Clear();
        end_ = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                            "the watcher does not read: too many updates wait for it; call again to go on");
      }
    }
    Go();
  }

  // What waits is still written.
  void NoMore(const grpc::Status& status) {
    {
      MutexLock lock(mutex_);
      if (!last_) last_ = status;
    }
    Go();
  }

  bool Next(v1::JobUpdate* message) override TIDEMARK_REQUIRES(mutex_) {
    if (queue_.empty()) {
      end_ = last_;
      return false;
    }
    *message = queue_.Pop();
    return true;
  }

  void Done() override { handler_->Unwatch(watcher_); }

  BenchmarkHandler* handler_ = nullptr;
  uint64_t watcher_ = 0;
  UpdateQueue queue_ TIDEMARK_GUARDED_BY(mutex_);
  std::optional<grpc::Status> last_ TIDEMARK_GUARDED_BY(mutex_);  // the end once the queue is empty
};

// Reads a chunk on the disk's thread, writes it, reads the next: at most one is in memory.
class DownloadStream final : public WriteStream<v1::ArtifactChunk>,
                             public std::enable_shared_from_this<DownloadStream> {
 public:
  DownloadStream(std::shared_ptr<void> slot, SerialWorker* disk) : WriteStream(std::move(slot)), disk_(disk) {}

  void Start(BenchmarkHandler* handler, const v1::DownloadArtifactsRequest& request) {
    const std::shared_ptr<DownloadStream> self = shared_from_this();
    Hold(self);
    handler->ArtifactFolder(
        request.job_id(),
        AnswerOnce<std::string>([self, lean = request.without_records()](absl::StatusOr<std::string> folder) {
          if (!folder.ok()) return self->End(ToGrpc(folder.status()));
          self->disk_->Post([self, folder = *std::move(folder), lean] { self->Open(folder, lean); });
        }));
  }

 private:
  void Open(const std::string& folder, bool without_records) {
    absl::StatusOr<ArtifactReader> reader = ArtifactReader::Open(folder, without_records);
    if (!reader.ok()) return End(ToGrpc(reader.status()));
    reader_.emplace(*std::move(reader));
    Read();
  }

  void Read() {
    v1::ArtifactChunk chunk;
    const absl::StatusOr<bool> more = reader_->Next(&chunk);
    if (!more.ok()) return End(ToGrpc(more.status()));
    if (!*more) return End(grpc::Status::OK);
    {
      MutexLock lock(mutex_);
      chunk_ = std::move(chunk);
    }
    Go();
  }

  void Written() override {
    disk_->Post([self = shared_from_this()] { self->Read(); });
  }

  bool Next(v1::ArtifactChunk* message) override TIDEMARK_REQUIRES(mutex_) {
    if (!chunk_) return false;
    *message = *std::exchange(chunk_, std::nullopt);
    return true;
  }

  SerialWorker* const disk_;
  std::optional<ArtifactReader> reader_;                                // of the disk's thread
  std::optional<v1::ArtifactChunk> chunk_ TIDEMARK_GUARDED_BY(mutex_);  // read, not yet being written
};

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  constexpr size_t kLongestText = 4'096;
  return ToGrpcStatus(absl::Status(status.code(), status.message().substr(0, kLongestText)));
}

grpc::ServerWriteReactor<v1::JobUpdate>* StartWatch(BenchmarkHandler* handler, std::shared_ptr<void> slot,
                                                    std::shared_ptr<UpdateBudget> budget,
                                                    const v1::WatchJobRequest& request) {
  const auto stream = std::make_shared<WatchStream>(std::move(slot), std::move(budget));
  stream->Start(handler, request);
  return stream.get();
}

grpc::ServerWriteReactor<v1::ArtifactChunk>* StartDownload(BenchmarkHandler* handler, std::shared_ptr<void> slot,
                                                           SerialWorker* disk,
                                                           const v1::DownloadArtifactsRequest& request) {
  const auto stream = std::make_shared<DownloadStream>(std::move(slot), disk);
  stream->Start(handler, request);
  return stream.get();
}

}  // namespace tidemark
