#ifndef TIDEMARK_AGENT_ENGINE_RECORD_SPOOL_H_
#define TIDEMARK_AGENT_ENGINE_RECORD_SPOOL_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/engine/record_json.h"
#include "agent/engine/record_sink.h"
#include "common/mutex.h"

namespace tidemark {

struct SpoolOptions {
  std::string path;             // created or emptied
  uint64_t limit_bytes = 0;     // of the file; what would go beyond is lost
  uint64_t one_in = 1;          // keeps 1 in this many, by a hash of the request's index
  size_t queue_limit = 16'384;  // records that may wait; more are lost
  RecordContext context;
};

// Writes the records of one level to a file, on a thread of its own. Write is thread-safe and only
// copies; loss is counted. The file is complete once Close has returned.
class RecordSpool final : public RecordSink {
 public:
  struct Counts {
    uint64_t written = 0, lost = 0, bytes = 0;
  };

  static absl::StatusOr<std::unique_ptr<RecordSpool>> Open(SpoolOptions options);
  ~RecordSpool() override;

  void Write(const RequestRecord& record) override;
  // Writes what waits and ends the thread. Idempotent; records written later are lost.
  Counts Close();

 private:
  RecordSpool(SpoolOptions options, std::FILE* file);
  void Run();
  void WriteLine(const std::string& line);

  const SpoolOptions options_;
  std::FILE* file_;  // the thread's
  Counts counts_;    // the thread's until it has ended; `lost` of the queue is apart

  Mutex mutex_;
  CondVar changed_;
  std::vector<RequestRecord> queue_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t dropped_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  bool closing_ TIDEMARK_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENGINE_RECORD_SPOOL_H_
