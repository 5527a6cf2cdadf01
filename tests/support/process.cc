#include "tests/support/process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace tidemark::testing {
namespace {

constexpr int kCannotRun = 127;

int MemoryFile(const std::string& content = "") {
  const int fd = memfd_create("tidemark-test", MFD_CLOEXEC);
  if (fd < 0 || pwrite(fd, content.data(), content.size(), 0) !=
                    static_cast<ssize_t>(content.size())) {
    std::abort();
  }
  return fd;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Later entries win: a name that `added` sets is left out of this process's own.
std::vector<std::string> Environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string own = *entry;
    const std::string name = own.substr(0, own.find('=') + 1);
    bool replaced = name.rfind("TIDEMARK_", 0) == 0;  // the tester's settings are not the test's
    for (const std::string& each : added) replaced = replaced || each.rfind(name, 0) == 0;
    if (!replaced) all.push_back(own);
  }
  return all;
}

}  // namespace

// All that takes memory, taken before the fork: another thread may hold the allocator's lock in it.
struct Process::Command {
  explicit Command(const ProcessOptions& options)
      : environment(Environment(options.environment)), arguments_at(Pointers(options.arguments)),
        environment_at(Pointers(environment)), input(MemoryFile(options.input)) {}
  ~Command() { close(input); }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  const std::vector<std::string> environment;
  const std::vector<char*> arguments_at, environment_at;
  const int input;
};

Process::Process(const ProcessOptions& options) : out_(MemoryFile()), err_(MemoryFile()) {
  const Command command(options);
  pid_ = fork();
  if (pid_ == 0) BecomeChild(options, command);
}

void Process::BecomeChild(const ProcessOptions& options, const Command& command) const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int from[] = {command.input, out_, err_};
  for (int fd = 0; fd < 3; ++fd) dup2(from[fd], fd);
  if (options.descriptor_limit) {
    const rlimit limit = {*options.descriptor_limit, *options.descriptor_limit};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(kCannotRun);
  }
  if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(kCannotRun);
  execvpe(command.arguments_at.front(), command.arguments_at.data(), command.environment_at.data());
  _exit(kCannotRun);
}

Process::~Process() {
  if (Running()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

void Process::Signal(int signal) {
  if (Running()) kill(pid_, signal);
}

std::optional<int> Process::Wait(int64_t ms) {
  Eventually(ms, [this] {
    int status = 0;
    if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return code_.has_value();
  });
  return code_;
}

bool Process::WaitForText(const std::string& text, int64_t ms) {
  const auto said = [&] {
    return out().find(text) != std::string::npos || err().find(text) != std::string::npos;
  };
  Eventually(ms, [&] { return said() || !Running(); });
  return said();
}

std::string Process::Captured(int fd) {
  std::string text;
  char buffer[65536];
  ssize_t size = 0;
  while ((size = pread(fd, buffer, sizeof(buffer), static_cast<off_t>(text.size()))) > 0) {
    text.append(buffer, static_cast<size_t>(size));
  }
  return text;
}

ProcessEnd RunToEnd(const ProcessOptions& options, int64_t deadline_ms) {
  const int64_t begin = NowMs();
  Process process(options);
  ProcessEnd end;
  end.code = process.Wait(deadline_ms).value_or(-1);
  end.ms = NowMs() - begin;
  end.out = process.out();
  end.err = process.err();
  return end;
}

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void PauseMs(int64_t ms) { poll(nullptr, 0, static_cast<int>(ms)); }

TemporaryFolder::TemporaryFolder() {
  std::string path = (std::filesystem::temp_directory_path() / "tidemark-e2e.XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) std::abort();
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(const std::string& name, const std::string& content) const {
  std::filesystem::create_directories(std::filesystem::path(File(name)).parent_path());
  std::ofstream(File(name), std::ios::binary) << content;
  return File(name);
}

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  close(fd);
  return bound ? ntohs(address.sin_port) : -1;
}

}  // namespace tidemark::testing
