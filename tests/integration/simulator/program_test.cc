// tidemark-sim as a program: its first line, its exit codes, its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/simulator/plain_http.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kProgram[] = TIDEMARK_BIN_DIR "/tidemark-sim";

// A child whose standard output is read here. Killed at the end if it lives.
class Child {
 public:
  explicit Child(std::vector<std::string> arguments) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    std::vector<char*> argv;
    for (std::string& each : arguments) argv.push_back(each.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    out_ = ends[0];
  }
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(out_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Up to the line's end, or what there is after 5 s.
  std::string Line() {
    std::string line;
    pollfd wait = {out_, POLLIN, 0};
    char c = 0;
    while (::poll(&wait, 1, 5000) == 1 && ::read(out_, &c, 1) == 1 && c != '\n') line += c;
    return line;
  }

  // True when nothing holds the other end of the output any more, within 5 s.
  bool OutputClosed() {
    pollfd wait = {out_, POLLIN, 0};
    char c = 0;
    return ::poll(&wait, 1, 5000) == 1 && ::read(out_, &c, 1) == 0;
  }

  // The exit code after `signal`; -1 when it does not end within 5 s.
  int EndBy(int signal) {
    ::kill(pid_, signal);
    for (int i = 0; i < 500; ++i) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return -1;
  }

 private:
  pid_t pid_ = 0;
  int out_ = -1;
};

int PortOfLine(const std::string& line) { return std::atoi(line.c_str() + line.rfind(':') + 1); }

TEST(SimProgram, PrintsItsAddressAndServes) {
  Child child({kProgram, "--listen", "127.0.0.1:0"});
  const std::string line = child.Line();
  EXPECT_THAT(line, StartsWith("tidemark-sim listening on http://127.0.0.1:"));
  EXPECT_EQ(testing::PlainHttp(PortOfLine(line)).Get("/health").status, 200);
}

TEST(SimProgram, EndsAtOnceOnSigtermAndSigint) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Child child({kProgram, "--listen", "127.0.0.1:0"});
    child.Line();
    EXPECT_EQ(child.EndBy(signal), 0);
  }
}

TEST(SimProgram, IsANullEndpointOnRequest) {
  Child child({kProgram, "--null", "--listen", "127.0.0.1:0", "--delay-ms", "1", "--itl-ms", "1"});
  const std::string line = child.Line();
  EXPECT_THAT(line, StartsWith("tidemark-sim listening on http://127.0.0.1:"));
  EXPECT_THAT(testing::PlainHttp(PortOfLine(line)).Post("/x", "{\"max_tokens\":2}").head, HasSubstr("(null 0.0)"));
  EXPECT_EQ(child.EndBy(SIGTERM), 0);
}

TEST(SimProgram, DiesWithItsParent) {
  Child shell(
      {"/bin/sh", "-c", absl::StrCat(kProgram, " --listen 127.0.0.1:0 --exit-with-parent & wait")});
  EXPECT_THAT(shell.Line(), StartsWith("tidemark-sim listening"));
  shell.EndBy(SIGKILL);
  EXPECT_TRUE(shell.OutputClosed());
}

struct Refusal {
  int code;
  std::string text;
};

Refusal RunToRefusal(const std::string& flags) {
  FILE* out = ::popen(absl::StrCat("timeout 5 ", kProgram, " ", flags, " 2>&1").c_str(), "r");
  Refusal refusal;
  char buffer[1024];
  while (std::fgets(buffer, sizeof(buffer), out) != nullptr) refusal.text += buffer;
  refusal.code = WEXITSTATUS(::pclose(out));
  return refusal;
}

TEST(SimProgram, RefusesABadFlagInOneLineWithExitCode2) {
  const struct {
    const char* flags;
    const char* said;
  } kCases[] = {
      {"--max-batch x", "--max-batch: 'x' is no whole number"},
      {"--max-batch 0", "--max-batch is 0; it must be from 1"},
      {"--jitter 3", "--jitter is 3; it must be from 0 to 0.99"},
      {"--unknown", "--unknown"},
      {"--listen nowhere", "--listen 'nowhere'"},
      {"--fault burn@0.1", "--fault 'burn@0.1'"},
      {"--delay-ms 5", "--delay-ms, --itl-ms"},
      {"--script /no/such.json", "--script '/no/such.json'"},
      {"--null", "--null needs --delay-ms"},
      {"--null --delay-ms 1 --itl-ms 1 --fault cut@0.1", "--null"},
      {"--null --delay-ms 1 --itl-ms 1 --event-bytes 10", "--event-bytes is 10"},
      {"--send-log file", "--send-log requires --null"},
  };
  for (const auto& each : kCases) {
    const Refusal refusal = RunToRefusal(each.flags);
    EXPECT_EQ(refusal.code, 2) << each.flags;
    EXPECT_THAT(refusal.text, HasSubstr(each.said));
    EXPECT_EQ(refusal.text.find('\n'), refusal.text.size() - 1) << refusal.text;
  }
}

TEST(SimProgram, AddressThatCannotBeHadIsExitCode1) {
  EXPECT_EQ(RunToRefusal("--listen 192.0.2.1:1").code, 1);
}

}  // namespace
}  // namespace tidemark
