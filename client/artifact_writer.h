#ifndef TIDEMARK_CLIENT_ARTIFACT_WRITER_H_
#define TIDEMARK_CLIENT_ARTIFACT_WRITER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

// A path that a download may write: relative, at most 8 names of [A-Za-z0-9._=-] and the like, none that begins with
// a dot, none that leads out of the folder. InvalidArgument otherwise, with the path in harmless letters. Pure.
absl::Status CheckArtifactPath(absl::string_view path);

struct ArtifactLimits {
  size_t files = 100'000;
  uint64_t bytes = uint64_t{256} << 30;  // of all files
};

// Puts the chunks of a download into files: a temporary name, fsync, rename. Trusts nothing that comes: paths,
// offsets and sizes are checked. A file that is not complete is removed. Thread-compatible.
class ArtifactWriter {
 public:
  // `folder` is made when the first chunk comes.
  explicit ArtifactWriter(std::string folder, const ArtifactLimits& limits = {});
  ~ArtifactWriter();
  ArtifactWriter(const ArtifactWriter&) = delete;
  ArtifactWriter& operator=(const ArtifactWriter&) = delete;

  // InvalidArgument: a bad path, or a chunk that does not follow the one before; ResourceExhausted: past a limit, or
  // the disk is full; else the system's reason with the path.
  absl::Status Write(const v1::ArtifactChunk& chunk);
  // After the last chunk. DataLoss when a file is not complete.
  absl::Status Finish();

  // Of complete files, in the order in which they came.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  absl::Status Begin(const std::string& path);
  absl::Status Append(const std::string& data);
  absl::Status Complete();

  const std::string folder_;
  const ArtifactLimits limits_;
  std::vector<std::string> paths_;
  std::set<std::string> seen_;
  uint64_t bytes_ = 0;
  std::string path_, temporary_;  // of the open file
  int file_ = -1;
  uint64_t offset_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_CLIENT_ARTIFACT_WRITER_H_
