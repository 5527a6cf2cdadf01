#include "coordinator/rpc/tokens_file.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/log/log.h"

namespace tidemark {
namespace {

Sha256 HashOf(absl::string_view text) {
  Sha256 hash;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  return hash;
}

bool ParseHash(absl::string_view hex, Sha256* hash) {
  if (hex.size() != 2 * hash->size()) return false;
  for (const char c : hex) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return false;
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  std::memcpy(hash->data(), bytes.data(), hash->size());
  return true;
}

absl::Status BadLine(size_t number, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", what));
}

}  // namespace

absl::StatusOr<std::vector<NamedToken>> ParseTokens(absl::string_view text) {
  std::vector<NamedToken> tokens;
  std::set<std::string> names;
  size_t number = 0;
  for (const absl::string_view given : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(given);
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> words = absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    NamedToken token;
    // A line may hold a token by mistake, so nothing of a bad one is repeated.
    if (words.size() != 2 || !ParseHash(words[1], &token.hash)) {
      return BadLine(number, "write \"name sha256-hex-of-token\", such as by: printf %s TOKEN | sha256sum");
    }
    token.name = words[0];
    if (!names.insert(token.name).second) {
      return BadLine(number, absl::StrCat("the name \"", token.name, "\" is there twice; each token has its own"));
    }
    tokens.push_back(std::move(token));
  }
  if (tokens.empty()) return absl::InvalidArgumentError("it holds no token, so every client would be refused");
  return tokens;
}

absl::StatusOr<std::unique_ptr<TokensFile>> TokensFile::Open(const std::string& path) {
  std::unique_ptr<TokensFile> file(new TokensFile(path));
  MutexLock lock(file->mutex_);
  if (absl::Status status = file->Read(); !status.ok()) return status;
  return file;
}

std::string TokensFile::NameOf(absl::string_view token) {
  const Sha256 hash = HashOf(token);
  MutexLock lock(mutex_);
  ReadIfChanged();
  std::string name;
  for (const NamedToken& known : tokens_) {
    if (CRYPTO_memcmp(known.hash.data(), hash.data(), hash.size()) == 0) name = known.name;
  }
  return name;
}

absl::Status TokensFile::Read() {
  version_ = Look();  // before the read: what changes meanwhile is read the next time
  std::ifstream in(path_, std::ios::binary);
  std::stringstream text;
  if (in) text << in.rdbuf();
  if (!in) {
    return absl::InvalidArgumentError(absl::StrCat("--tokens-file ", path_, " cannot be read: ", strerror(errno)));
  }
  absl::StatusOr<std::vector<NamedToken>> tokens = ParseTokens(text.str());
  if (!tokens.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--tokens-file ", path_, ": ", tokens.status().message()));
  }
  tokens_ = *std::move(tokens);
  return absl::OkStatus();
}

void TokensFile::ReadIfChanged() {
  if (Look() == version_) return;
  const absl::Status status = Read();
  if (status.ok()) {
    Log(LogLevel::kInfo, "tokens read again", {{"file", path_}, {"tokens", absl::StrCat(tokens_.size())}});
  } else {
    Log(LogLevel::kWarning, "tokens read before stay", {{"error", std::string(status.message())}});
  }
}

TokensFile::Version TokensFile::Look() const {
  struct stat found {};
  if (stat(path_.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino, static_cast<uint64_t>(found.st_size),
          int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

}  // namespace tidemark
