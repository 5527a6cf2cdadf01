#ifndef TIDEMARK_AGENT_PROGRAM_SPOOL_FOLDER_H_
#define TIDEMARK_AGENT_PROGRAM_SPOOL_FOLDER_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/descriptors/owned_fd.h"

namespace tidemark {

// This agent's part of the spool directory, DIR/ID, held by this process alone. What an earlier process has left
// there is removed: its coordinator has void attempts, and nobody asks for their records.
class SpoolFolder {
 public:
  // Makes it (0700) where it is not there. InvalidArgument names --spool-dir and why it cannot be used;
  // FailedPrecondition: another process of this id holds it.
  static absl::StatusOr<std::unique_ptr<SpoolFolder>> Open(const std::string& dir, const std::string& agent_id);
  SpoolFolder(const SpoolFolder&) = delete;
  SpoolFolder& operator=(const SpoolFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  SpoolFolder(std::string path, OwnedFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  const std::string path_;
  const OwnedFd lock_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_PROGRAM_SPOOL_FOLDER_H_
