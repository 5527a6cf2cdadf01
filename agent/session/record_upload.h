#ifndef TIDEMARK_AGENT_SESSION_RECORD_UPLOAD_H_
#define TIDEMARK_AGENT_SESSION_RECORD_UPLOAD_H_

#include <atomic>
#include <string>

#include "absl/status/status.h"
#include "common/job/level_task.h"
#include "proto/tidemark/v1/agent_session.grpc.pb.h"

namespace tidemark {

// Streams a spool of whole lines to the coordinator in chunks, each acknowledged by offset before the next.
// Blocks until everything is kept, `cancelled` becomes true, or the stream breaks (Unavailable: try again;
// the coordinator drops what it has). For a thread of its own.
absl::Status UploadRecordSpool(const std::string& path, const LevelKey& key, const std::string& agent_id,
                               v1::AgentSession::Stub* stub, const std::atomic<bool>& cancelled);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_RECORD_UPLOAD_H_
