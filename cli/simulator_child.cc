#include "cli/simulator_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace tidemark {
namespace {

constexpr char kListening[] = "listening on ";

absl::Status SystemError(absl::string_view what, int error) {
  const std::string text = absl::StrCat(what, ": ", strerror(error));
  return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What the child is to have: its own process group (Ctrl-C on the terminal is ours alone), default
// signals, output into the pipe, no input.
class SpawnSetup {
 public:
  explicit SpawnSetup(int output_fd) {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    sigset_t none;
    sigemptyset(&none);
    sigset_t defaults = none;
    for (int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
};

absl::StatusOr<pid_t> Spawn(const SimulatorChildOptions& options, int output_fd) {
  std::vector<std::string> arguments = {options.program, "--listen", "127.0.0.1:0",
                                        "--exit-with-parent"};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = ChildEnvironment(environ);
  SpawnSetup setup(output_fd);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, options.program.c_str(), &setup.actions, &setup.attributes,
                  Pointers(arguments).data(), Pointers(environment).data());
  if (error != 0) {
    return SystemError(absl::StrCat("cannot start the built-in simulator ", options.program), error);
  }
  return pid;
}

// Best effort: without it the figures are still right, only less steady.
void GiveOwnCore(pid_t child) {
  cpu_set_t ours;
  CPU_ZERO(&ours);
  if (sched_getaffinity(0, sizeof(ours), &ours) != 0 || CPU_COUNT(&ours) < 2) return;
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &ours)) --last;
  cpu_set_t theirs;
  CPU_ZERO(&theirs);
  CPU_SET(last, &theirs);
  if (sched_setaffinity(child, sizeof(theirs), &theirs) != 0) return;
  CPU_CLR(last, &ours);
  (void)sched_setaffinity(0, sizeof(ours), &ours);
}

bool HasEnded(pid_t pid) {
  const pid_t ended = waitpid(pid, nullptr, WNOHANG);
  return ended == pid || (ended < 0 && errno == ECHILD);
}

}  // namespace

std::string SimulatorProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  const std::string self(path, length > 0 ? static_cast<size_t>(length) : 0);
  const size_t slash = self.rfind('/');
  return slash == std::string::npos ? "tidemark-sim" : self.substr(0, slash) + "/tidemark-sim";
}

std::vector<std::string> ChildEnvironment(char** environment) {
  std::vector<std::string> kept;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (!absl::StartsWith(*entry, "TIDEMARK_API_KEY=")) kept.emplace_back(*entry);
  }
  return kept;
}

absl::StatusOr<std::unique_ptr<SimulatorChild>> SimulatorChild::Start(
    const SimulatorChildOptions& options, const Clock& clock) {
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) return SystemError("cannot make a pipe", errno);
  const absl::StatusOr<pid_t> pid = Spawn(options, pipe_fds[1]);
  close(pipe_fds[1]);
  if (!pid.ok()) {
    close(pipe_fds[0]);
    return pid.status();
  }
  std::unique_ptr<SimulatorChild> child(new SimulatorChild(*pid, pipe_fds[0], clock));
  if (options.own_core) GiveOwnCore(*pid);
  const absl::Status ready = child->ReadUrl(clock.MonotonicNanos() + options.start_deadline_ns);
  if (!ready.ok()) return ready;
  return child;
}

absl::Status SimulatorChild::ReadUrl(int64_t deadline_ns) {
  std::string output;
  while (output.find('\n') == std::string::npos) {
    const int64_t left_ms = (deadline_ns - clock_.MonotonicNanos()) / kNanosPerMilli;
    pollfd fd{output_fd_, POLLIN, 0};
    const int ready = left_ms > 0 ? poll(&fd, 1, static_cast<int>(left_ms)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      return absl::UnavailableError("the built-in simulator did not say in time where it listens");
    }
    char buffer[512];
    const ssize_t size = read(output_fd_, buffer, sizeof(buffer));
    if (size <= 0) {
      return absl::UnavailableError("the built-in simulator ended before it listened; its reason is above");
    }
    output.append(buffer, static_cast<size_t>(size));
  }
  const size_t at = output.find(kListening);
  if (at == std::string::npos) {
    return absl::UnavailableError(
        absl::StrCat("the built-in simulator said: ", output.substr(0, output.find('\n'))));
  }
  const size_t begin = at + sizeof(kListening) - 1;
  url_ = output.substr(begin, output.find_first_of(" \r\n", begin) - begin);
  return absl::OkStatus();
}

SimulatorChild::~SimulatorChild() {
  constexpr int64_t kStep = 5 * kNanosPerMilli;
  constexpr int64_t kPatience = 2 * kNanosPerSecond;
  close(output_fd_);
  kill(pid_, SIGTERM);
  for (int64_t waited = 0; waited < kPatience; waited += kStep) {
    if (HasEnded(pid_)) return;
    SleepFor(kStep);
  }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace tidemark
