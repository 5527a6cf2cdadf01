#ifndef TIDEMARK_COORDINATOR_RPC_TOKENS_FILE_H_
#define TIDEMARK_COORDINATOR_RPC_TOKENS_FILE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/mutex.h"

namespace tidemark {

using Sha256 = std::array<uint8_t, 32>;

struct NamedToken {
  std::string name;
  Sha256 hash;
};

// Lines "name sha256-hex-of-token"; empty ones and those that begin with # say nothing. Pure.
// InvalidArgument names the line and what it should be, and repeats nothing of it but the name.
absl::StatusOr<std::vector<NamedToken>> ParseTokens(absl::string_view text);

// The clients' bearer tokens: a file of their hashes, read again when it has changed. A change that
// cannot be read is logged, and the tokens read before stay. Thread-safe.
class TokensFile {
 public:
  // InvalidArgument names the file and what is wrong.
  static absl::StatusOr<std::unique_ptr<TokensFile>> Open(const std::string& path);

  // The name of the token, or nothing when it is not in the file. Every hash is compared, each in
  // constant time.
  std::string NameOf(absl::string_view token);

 private:
  // What tells a changed file: a new one put in its place, or written over.
  struct Version {
    uint64_t device = 0, inode = 0, size = 0;
    int64_t modified_ns = 0;
    bool operator==(const Version&) const = default;
  };

  explicit TokensFile(std::string path) : path_(std::move(path)) {}

  absl::Status Read() TIDEMARK_REQUIRES(mutex_);
  void ReadIfChanged() TIDEMARK_REQUIRES(mutex_);
  Version Look() const;

  const std::string path_;
  Mutex mutex_;
  Version version_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<NamedToken> tokens_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_RPC_TOKENS_FILE_H_
