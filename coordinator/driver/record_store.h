#ifndef TIDEMARK_COORDINATOR_DRIVER_RECORD_STORE_H_
#define TIDEMARK_COORDINATOR_DRIVER_RECORD_STORE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/job/level_task.h"
#include "common/mutex.h"
#include "proto/tidemark/v1/agent_session.pb.h"

namespace tidemark {

// Where per-request records go: each agent's part of a level into a file of its own as it comes, and at
// the level's end all parts, in the order of the agents' ids, into
// <dir>/concurrency_<N>/profile_export.jsonl (a later visit of the same N takes the place of the earlier).
// Thread-safe.
class RecordStore {
 public:
  // Under the result folder `dir`. It is made when records are expected.
  explicit RecordStore(std::string dir) : dir_(std::move(dir)) {}

  // Parts are taken for this level only. An agent that is not among `agents` is refused.
  void Expect(const LevelKey& key, std::set<std::string> agents);

  // Appends a chunk. Returns the offset up to which all is kept; a chunk that was seen is dropped, a gap
  // is OutOfRange, one of another level or agent FailedPrecondition.
  absl::StatusOr<uint64_t> Append(const v1::RecordChunk& chunk);

  // Bytes kept of an agent's part, and whether its last chunk has come.
  std::pair<uint64_t, bool> PartOf(const std::string& agent) const;

  // Joins the parts into the artifact and removes them; one part alone is only renamed. No parts: no file.
  absl::Status Assemble(uint32_t concurrency);

 private:
  struct Part {
    uint64_t bytes = 0;
    bool complete = false;
  };
  std::string PartPath(const std::string& agent) const TIDEMARK_REQUIRES(mutex_);

  const std::string dir_;
  mutable Mutex mutex_;
  LevelKey key_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<std::string, Part> parts_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_RECORD_STORE_H_
