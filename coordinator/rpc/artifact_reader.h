#ifndef TIDEMARK_COORDINATOR_RPC_ARTIFACT_READER_H_
#define TIDEMARK_COORDINATOR_RPC_ARTIFACT_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

inline constexpr size_t kArtifactChunkBytes = size_t{1} << 20;

// Reads the result files of a folder one chunk after the other, by their paths in order: regular files only.
// Links are not followed; names that begin with a dot or end in ".tmp.<digits>" (what a write that was cut off
// left) are passed over. Blocks on the disk. Thread-compatible.
class ArtifactReader {
 public:
  // Errors: NotFound when the folder is not there, Internal with the path and the system's reason.
  static absl::StatusOr<ArtifactReader> Open(const std::string& folder, bool without_records);
  ~ArtifactReader();
  ArtifactReader(ArtifactReader&& other) noexcept;
  ArtifactReader& operator=(ArtifactReader&&) = delete;

  // The next chunk into `chunk`; false at the end. An empty file is one empty chunk. DataLoss when a file is
  // shorter than it was; Internal as above.
  absl::StatusOr<bool> Next(v1::ArtifactChunk* chunk);

 private:
  ArtifactReader(std::string folder, std::vector<std::string> paths);

  absl::Status OpenFile(const std::string& path);
  void CloseFile();

  std::string folder_;
  std::vector<std::string> paths_;  // relative, sorted
  size_t next_ = 0;                 // of paths_: the file that is open, or the next one
  int file_ = -1;
  uint64_t size_ = 0, offset_ = 0;  // of the open file
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_ARTIFACT_READER_H_
