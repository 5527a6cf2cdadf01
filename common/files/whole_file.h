#ifndef TIDEMARK_COMMON_FILES_WHOLE_FILE_H_
#define TIDEMARK_COMMON_FILES_WHOLE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// "<what> <path>: <the system's reason>" as Unavailable, or ResourceExhausted when there is no room (`error`
// is an errno).
absl::Status FileError(absl::string_view what, const std::string& path, int error);

// Makes a folder and those above it; one that is there is no error.
absl::Status MakeFolders(const std::string& path);

// All of it, however many writes that takes. 0, or errno.
int WriteAll(int fd, absl::string_view content);

// What was made or renamed in a folder is there after a crash of the machine only once the folder itself is on disk.
// Not every file system can: then nothing is done.
void SyncFolder(const std::string& path);

// Writes a file (and makes its folders) so that it is there whole or not at all, also after a crash of the
// machine: temporary name "<path>.tmp.<pid>", fsync, rename. Thread-safe for different paths. Errors: FileError's.
absl::Status WriteWholeFile(const std::string& path, absl::string_view content);

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_FILES_WHOLE_FILE_H_
