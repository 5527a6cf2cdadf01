#ifndef TIDEMARK_AGENT_SESSION_RECORD_UPLOAD_H_
#define TIDEMARK_AGENT_SESSION_RECORD_UPLOAD_H_

#include <string>

#include "absl/status/status.h"
#include "common/job/level_task.h"
#include "common/thread/cancellation.h"
#include "proto/tidemark/v1/agent_session.grpc.pb.h"

namespace tidemark {

// Streams a spool of whole lines to the coordinator in chunks, each acknowledged by offset before the next.
// What the coordinator has already, from a stream that broke, is passed over. Blocks until everything is
// kept, `cancellation` is cancelled (ends a blocked call too), or the stream breaks (Unavailable: try
// again). For a thread of its own.
absl::Status UploadRecordSpool(const std::string& path, const LevelKey& key, const std::string& agent_id,
                               v1::AgentSession::StubInterface* stub, Cancellation* cancellation);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_RECORD_UPLOAD_H_
