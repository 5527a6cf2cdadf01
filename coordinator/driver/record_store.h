#ifndef TIDEMARK_COORDINATOR_DRIVER_RECORD_STORE_H_
#define TIDEMARK_COORDINATOR_DRIVER_RECORD_STORE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/job/level_task.h"
#include "common/mutex.h"
#include "proto/tidemark/v1/agent_session.pb.h"

namespace tidemark {

// Where per-request records go: each agent's part of a level into a file of its own as it comes, and at
// the level's end all parts, in the order of the agents' ids, into
// <dir>/concurrency_<N>/profile_export.jsonl (a later visit of the same N takes the place of the earlier).
//
// Append and Assemble wait for the disk: one thread, its owner's, calls them. The others never do, and may be called
// on any thread meanwhile.
class RecordStore {
 public:
  // Under the result folder `dir`. It is made when records come.
  explicit RecordStore(std::string dir) : dir_(std::move(dir)) {}
  // Removes the parts of a level that was not assembled.
  ~RecordStore();

  // Removes what a process that was killed has left in `dir`. Waits for the disk.
  static void RemoveStrayParts(const std::string& dir);

  // A part of this level is to come, of `announced` bytes; parts of another level are not taken any more.
  void Expect(const LevelKey& key, const std::string& agent, uint64_t announced);

  // The chunk may be given to Append, once: FailedPrecondition when it is of another level or agent,
  // ResourceExhausted while others of the same agent wait for the disk.
  absl::Status Admit(const v1::RecordChunk& chunk);

  // Takes in an admitted chunk. Returns the offset up to which all is kept; a chunk that was seen is dropped, a gap
  // is OutOfRange, more than was announced ResourceExhausted.
  absl::StatusOr<uint64_t> Append(const v1::RecordChunk& chunk);

  // The part's last chunk has come.
  bool IsComplete(const std::string& agent) const;

  // Joins the parts into the artifact and removes them; one part alone is only renamed. No parts: no file. Returns
  // the number of records in the artifact.
  absl::StatusOr<uint64_t> Assemble(uint32_t concurrency);

 private:
  struct Part {
    std::string path;
    uint64_t announced = 0;  // bytes
    uint64_t bytes = 0;      // kept
    uint64_t records = 0;    // kept
    size_t waiting = 0;      // chunks admitted and not yet appended
    bool complete = false;
  };
  absl::StatusOr<Part> PartOf(const v1::RecordChunk& chunk) const TIDEMARK_REQUIRES(mutex_);
  void DropParts() TIDEMARK_REQUIRES(mutex_);
  void RemoveDropped();
  static absl::Status Write(const v1::RecordChunk& chunk, Part* part);
  static absl::Status Join(const std::vector<std::string>& paths, const std::string& folder);

  const std::string dir_;
  mutable Mutex mutex_;
  LevelKey key_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<std::string, Part> parts_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<std::string> dropped_ TIDEMARK_GUARDED_BY(mutex_);  // files of parts that nobody wants any more
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_DRIVER_RECORD_STORE_H_
