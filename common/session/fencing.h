#ifndef TIDEMARK_COMMON_SESSION_FENCING_H_
#define TIDEMARK_COMMON_SESSION_FENCING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "common/job/level_task.h"
#include "proto/tidemark/v1/agent_session.pb.h"

namespace tidemark {

// The coordinator's life: the UUID of its store and a counter bumped at each start.
struct SessionEpoch {
  std::string store_uuid;
  uint64_t counter = 0;
  friend bool operator==(const SessionEpoch&, const SessionEpoch&) = default;
};

v1::Epoch EncodeEpoch(const SessionEpoch& epoch);
SessionEpoch DecodeEpoch(const v1::Epoch& epoch);

// Lets only messages of the current level and epoch through, and counts the others: what a process
// said before it was stopped, cut off, or superseded must change nothing. Both sides hold one.
// Thread-compatible.
class Fence {
 public:
  // Another epoch closes the level of the old one.
  void Adopt(const SessionEpoch& epoch);
  void Enter(const LevelKey& key);
  void Leave() { key_.reset(); }

  // False, and counted, unless `key` is the current level. For messages whose epoch is that of the
  // stream they came on.
  bool Admit(const LevelKey& key);
  // The same for messages that carry their epoch.
  bool Admit(const LevelKey& key, const SessionEpoch& epoch);
  // And for those that carry nothing else.
  bool AdmitEpoch(const SessionEpoch& epoch);

  const std::optional<LevelKey>& key() const { return key_; }
  const SessionEpoch& epoch() const { return epoch_; }
  uint64_t stale() const { return stale_; }  // messages refused so far

 private:
  SessionEpoch epoch_;
  std::optional<LevelKey> key_;
  uint64_t stale_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_SESSION_FENCING_H_
