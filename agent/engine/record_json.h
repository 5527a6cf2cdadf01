#ifndef TIDEMARK_AGENT_ENGINE_RECORD_JSON_H_
#define TIDEMARK_AGENT_ENGINE_RECORD_JSON_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/core/request_record.h"

namespace tidemark {

// What the lines of one level have in common.
struct RecordContext {
  std::string id_prefix;        // of request ids: differs for each level of each job
  std::string worker_id;        // this agent
  int64_t wall_minus_mono = 0;  // ns to add to CLOCK_MONOTONIC for nanoseconds since the epoch
};

// Appends `record` as one line of AIPerf's profile_export.jsonl: metadata, metrics {tag: {value,
// unit}} in AIPerf's units, error null or {code, type, message}. The locale never shows in it.
// Pure.
void AppendRecordJson(const RequestRecord& record, const RecordContext& context, std::string* out);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_RECORD_JSON_H_
