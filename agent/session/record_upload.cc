#include "agent/session/record_upload.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace tidemark {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr std::chrono::minutes kUploadLimit{30};

// Fills `data` with at most kChunkBytes of whole lines (or one longer line). False at the end.
bool ReadChunk(std::ifstream& in, std::string& carried, std::string* data) {
  data->swap(carried);
  carried.clear();
  const size_t kept = data->size();
  data->resize(kept + kChunkBytes);
  in.read(data->data() + kept, kChunkBytes);
  data->resize(kept + static_cast<size_t>(in.gcount()));
  if (in.gcount() == 0) return !data->empty();
  const size_t end = data->rfind('\n');
  if (end != std::string::npos) {
    carried.assign(*data, end + 1, std::string::npos);
    data->resize(end + 1);
  }
  return true;
}

}  // namespace

absl::Status UploadRecordSpool(const std::string& path, const LevelKey& key, const std::string& agent_id,
                               v1::AgentSession::Stub* stub, const std::atomic<bool>& cancelled) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat("record spool ", path, " cannot be read"));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kUploadLimit);
  const auto stream = stub->UploadRecords(&context);
  v1::RecordChunk chunk;
  *chunk.mutable_key() = EncodeKey(key);
  chunk.set_agent_id(agent_id);
  std::string carried;
  bool more = true;
  while (more && !cancelled) {
    more = ReadChunk(in, carried, chunk.mutable_data());
    chunk.set_last(!more || (in.peek() == std::ifstream::traits_type::eof() && carried.empty()));
    v1::RecordAck ack;
    const uint64_t end = chunk.offset() + chunk.data().size();
    if (!stream->Write(chunk) || !stream->Read(&ack) || ack.offset() != end) break;
    chunk.set_offset(end);
    if (chunk.last()) more = false;
  }
  if (cancelled) context.TryCancel();
  const bool complete = chunk.last() && !cancelled;
  stream->WritesDone();
  const grpc::Status status = stream->Finish();
  if (complete && status.ok()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("records were kept up to byte ", chunk.offset(), " only: ",
                                             cancelled ? "cancelled" : status.error_message()));
}

}  // namespace tidemark
