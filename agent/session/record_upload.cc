#include "agent/session/record_upload.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr std::chrono::minutes kUploadLimit{30};

// Reads a spool in chunks of whole lines.
class SpoolReader {
 public:
  explicit SpoolReader(const std::string& path) : in_(path, std::ios::binary) {
    in_.seekg(0, std::ios::end);
    if (in_) size_ = static_cast<uint64_t>(in_.tellg());
    Seek(0);
  }

  bool ok() const { return !in_.bad() && in_.is_open(); }
  uint64_t size() const { return size_; }

  void Seek(uint64_t offset) {
    carried_.clear();
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
  }

  // Fills `data` with at most kChunkBytes of whole lines (or one longer line); nothing at the end.
  void Next(std::string* data) {
    data->swap(carried_);
    carried_.clear();
    const size_t kept = data->size();
    data->resize(kept + kChunkBytes);
    in_.read(data->data() + kept, kChunkBytes);
    data->resize(kept + static_cast<size_t>(in_.gcount()));
    const size_t end = in_.gcount() == 0 ? std::string::npos : data->rfind('\n');
    if (end == std::string::npos) return;
    carried_.assign(*data, end + 1, std::string::npos);
    data->resize(end + 1);
  }

 private:
  std::ifstream in_;
  uint64_t size_ = 0;
  std::string carried_;
};

using Stream = grpc::ClientReaderWriterInterface<v1::RecordChunk, v1::RecordAck>;

// Returns true once the last chunk is acknowledged; chunk->offset() is what the coordinator has.
bool SendAll(SpoolReader& spool, const Cancellation& cancellation, Stream& stream, v1::RecordChunk* chunk) {
  while (!cancellation.cancelled()) {
    spool.Next(chunk->mutable_data());
    const uint64_t end = chunk->offset() + chunk->data().size();
    chunk->set_last(end >= spool.size());
    if (chunk->data().empty() && !chunk->last()) return false;  // someone has cut the file
    v1::RecordAck ack;
    if (!stream.Write(*chunk) || !stream.Read(&ack)) return false;
    if (ack.offset() < end || ack.offset() > spool.size()) return false;
    if (ack.offset() > end) spool.Seek(ack.offset());
    chunk->set_offset(ack.offset());
    if (chunk->last()) return true;
  }
  return false;
}

}  // namespace

absl::Status UploadRecordSpool(const std::string& path, const LevelKey& key, const std::string& agent_id,
                               v1::AgentSession::StubInterface* stub, Cancellation* cancellation) {
  SpoolReader spool(path);
  if (!spool.ok()) return absl::NotFoundError(absl::StrCat("record spool ", path, " cannot be read"));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kUploadLimit);
  const Cancellation::Hook hook(cancellation, [&context] { context.TryCancel(); });
  const auto stream = stub->UploadRecords(&context);
  v1::RecordChunk chunk;
  *chunk.mutable_key() = EncodeKey(key);
  chunk.set_agent_id(agent_id);
  const bool complete = SendAll(spool, *cancellation, *stream, &chunk);
  if (complete) {
    stream->WritesDone();
  } else {
    context.TryCancel();
  }
  const grpc::Status status = stream->Finish();
  if (complete && status.ok()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("records were kept up to byte ", chunk.offset(), " only: ",
                                             cancellation->cancelled() ? "cancelled" : status.error_message()));
}

}  // namespace tidemark
