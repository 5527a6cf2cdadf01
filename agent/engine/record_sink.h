#ifndef TIDEMARK_AGENT_ENGINE_RECORD_SINK_H_
#define TIDEMARK_AGENT_ENGINE_RECORD_SINK_H_

#include "agent/core/request_record.h"

namespace tidemark {

// Takes the records of ended measured requests. Thread-safe, never blocks on I/O; may drop (and
// count).
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void Write(const RequestRecord& record) = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_RECORD_SINK_H_
