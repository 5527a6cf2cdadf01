// The folder of one run's result files.
//
// Thread-compatible.
#ifndef TIDEMARK_CLI_OUTPUT_FOLDER_H_
#define TIDEMARK_CLI_OUTPUT_FOLDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/descriptors/owned_fd.h"

namespace tidemark {

struct OutputFolderOptions {
  std::string dir;           // empty: <base>/<UTC>-<name>/, and <base>/latest points to it
  std::string base = "./tidemark-results";
  std::string name;          // of the job
  int64_t wall_nanos = 0;    // the time in the default folder's name
  bool overwrite = false;
};

class OutputFolder {
 public:
  // What Prepare would refuse, without touching anything: InvalidArgument when `dir` has files and
  // may not be overwritten, or is no folder.
  static absl::Status Check(const OutputFolderOptions& options);

  // Makes the folder and its journal's, and holds it (for this process) as long as the object or a copy lives;
  // to overwrite, removes what an older run left in it (the files that a run writes, by their names, and nothing
  // else). Errors: those of Check; InvalidArgument while another run holds it; else the system's reason with the path
  // (Unavailable).
  static absl::StatusOr<OutputFolder> Prepare(const OutputFolderOptions& options);

  const std::string& path() const { return path_; }
  std::string JournalDir() const { return path_ + "/journal"; }

  // Writes a file (`name` may have folders, which are made) so that it is there whole or not at all:
  // temporary name, fsync, rename. Error: Unavailable with the path and the system's reason; a full
  // disk also says what to do.
  absl::Status WriteFile(absl::string_view name, absl::string_view content) const;

 private:
  OutputFolder(std::string path, std::shared_ptr<const OwnedFd> hold);
  std::string path_;
  std::shared_ptr<const OwnedFd> hold_;  // the open folder, which the kernel has locked
};

}  // namespace tidemark

#endif  // TIDEMARK_CLI_OUTPUT_FOLDER_H_
