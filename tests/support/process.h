// Other programs, run by a test: started, watched, signalled, and always ended.
#ifndef TIDEMARK_TESTS_SUPPORT_PROCESS_H_
#define TIDEMARK_TESTS_SUPPORT_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::testing {

struct ProcessOptions {
  std::vector<std::string> arguments;         // the program's path first
  std::vector<std::string> environment = {};  // "K=V", besides this process's own
  std::string folder = {};                    // working folder; empty: this process's
  std::string input = {};                     // standard input
  std::optional<uint64_t> descriptor_limit = {};  // RLIMIT_NOFILE, soft and hard
};

// One child. Its output goes into memory, so it never waits for a reader. It dies with this object,
// and with the thread that made it: make it on the test's own. Other threads may run meanwhile, for the child does
// nothing between fork and exec that could wait for one of them. Thread-compatible.
class Process {
 public:
  explicit Process(const ProcessOptions& options);
  // SIGKILL when it lives.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool Running() { return !Wait(0).has_value(); }
  void Signal(int signal);

  // The exit code (128 + signal for a death by one); nothing when it still runs after `ms`.
  std::optional<int> Wait(int64_t ms);
  // True when `text` is in either output within `ms`.
  bool WaitForText(const std::string& text, int64_t ms);

  std::string out() const { return Captured(out_); }
  std::string err() const { return Captured(err_); }

 private:
  struct Command;

  [[noreturn]] void BecomeChild(const ProcessOptions& options, const Command& command) const;
  static std::string Captured(int fd);

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;  // memory files
  std::optional<int> code_;
};

// How a program that was run to its end ended.
struct ProcessEnd {
  int code = -1;  // -1: it did not end in time, and was killed
  std::string out, err;
  int64_t ms = 0;  // how long it ran
};

ProcessEnd RunToEnd(const ProcessOptions& options, int64_t deadline_ms);

// Milliseconds on this host's monotonic clock, and a bounded pause: end-to-end tests run in real time.
int64_t NowMs();
void PauseMs(int64_t ms);

// Asks `condition` every 10 ms, for `ms` at most. True as soon as it holds.
template <typename Condition>
bool Eventually(int64_t ms, Condition condition) {
  const int64_t end = NowMs() + ms;
  while (true) {
    if (condition()) return true;
    if (NowMs() >= end) return false;
    PauseMs(10);
  }
}

// A new folder, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of `name` in it.
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  // Writes the file, and gives its path.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

// Empty when it cannot be read.
std::string ReadFile(const std::string& path);

// A port of 127.0.0.1 that nobody listened on a moment ago.
int FreePort();

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_SUPPORT_PROCESS_H_
