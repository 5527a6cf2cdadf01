// epoll_client: see epoll_client.h. `./dev bench` runs it.
#include <signal.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "tests/bench/client_cost.h"
#include "tests/bench/epoll_client.h"
#include "tests/bench/report.h"

namespace tidemark::bench {
namespace {

struct Flags {
  EpollOptions client;
  std::string send_log;
  double settle_s = 1, window_s = 5;
};

int64_t Ns(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

void RaiseFileLimit() {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int Run(const Flags& flags) {
  RaiseFileLimit();
  const uint64_t resident_before = CostSoFar().resident_kib;
  EpollClient client(flags.client);
  if (!client.RunUntil(MonotonicNs() + Ns(flags.client.ramp_s + flags.settle_s))) return 1;
  const ClientCost before = CostSoFar();
  if (!client.RunUntil(before.at_ns + Ns(flags.window_s))) return 1;
  const ClientCost after = CostSoFar();
  const SentEvents log = ReadLogOrExit(flags.send_log);
  nlohmann::json report = CostJson(before, after, log);
  report["stream_kib"] = static_cast<double>(after.resident_kib - resident_before) / flags.client.streams;
  if (flags.client.keep_times) {
    report["left_out"] = client.left_out();
    report["kernel"] = ToJson(CompareWithLog(client.by_kernel(), log));
    report["user"] = ToJson(CompareWithLog(client.by_user(), log));
  }
  std::printf("%s\n", report.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  tidemark::bench::Flags flags;
  CLI::App app("The cheapest client there can be, against tidemark-sim --null --send-log");
  app.add_option("--port", flags.client.port)->required();
  app.add_option("--send-log", flags.send_log)->required();
  app.add_option("--streams", flags.client.streams);
  app.add_option("--output-tokens", flags.client.output_tokens);
  app.add_option("--ramp-s", flags.client.ramp_s);
  app.add_option("--settle-s", flags.settle_s, "between the ramp and the window");
  app.add_option("--window-s", flags.window_s);
  app.add_flag("--times", flags.client.keep_times, "compare the times of every event with the send log");
  CLI11_PARSE(app, argc, argv);
  return tidemark::bench::Run(flags);
}
