#include "cli/job_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "coordinator/core/job_spec/job_file.h"

namespace tidemark {
namespace {

absl::Status CannotRead(const std::string& path, int error) {
  return absl::InvalidArgumentError(absl::StrCat("cannot read ", path, ": ", strerror(error)));
}

absl::StatusOr<std::string> ReadAll(int fd, const std::string& path, size_t limit) {
  std::string text;
  char buffer[16384];
  while (true) {
    const ssize_t size = read(fd, buffer, sizeof(buffer));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return CannotRead(path, errno);
    if (size == 0) return text;
    text.append(buffer, static_cast<size_t>(size));
    if (text.size() > limit) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " has more than ", limit, " bytes: this is no job file"));
    }
  }
}

// The layer of the file that the parameter `name` names; an empty one when it names none.
absl::StatusOr<Settings> FileLayer(const Settings& chosen, const std::string& name) {
  const auto found = chosen.find(name);
  if (found == chosen.end()) return Settings();
  const std::string& path = found->second.values.front();
  const absl::StatusOr<std::string> text = ReadTextFile(path, kLargestJobFile);
  if (!text.ok()) return text.status();
  return ParseJobFile(*text, path == "-" ? "standard input" : path);
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t limit) {
  if (path == "-") return ReadAll(STDIN_FILENO, "standard input", limit);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotRead(path, errno);
  absl::StatusOr<std::string> text = ReadAll(fd, path, limit);
  close(fd);
  return text;
}

absl::StatusOr<ResolvedJob> ResolveJobInput(const Settings& flags,
                                            const std::vector<std::string>& environment) {
  absl::StatusOr<Settings> variables = SettingsFromEnvironment(environment);
  if (!variables.ok()) return variables.status();
  const Settings chosen = Overlay({flags, *variables});
  absl::StatusOr<Settings> config = FileLayer(chosen, "config");
  if (!config.ok()) return config.status();
  absl::StatusOr<Settings> job_file = FileLayer(chosen, "file");
  if (!job_file.ok()) return job_file.status();
  return Resolve({flags, *std::move(variables), *std::move(config), *std::move(job_file)});
}

}  // namespace tidemark
