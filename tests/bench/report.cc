#include "tests/bench/report.h"

#include <cstdio>
#include <cstdlib>

namespace tidemark::bench {

nlohmann::json ToJson(const Spread& spread) {
  return {{"count", spread.count}, {"mean", spread.mean}, {"p50", spread.p50}, {"p99", spread.p99}, {"max", spread.max}};
}

nlohmann::json ToJson(const Truth& truth) {
  return {{"compared", truth.compared},
          {"unmatched", truth.unmatched},
          {"ttft_error_us", ToJson(truth.ttft_error)},
          {"itl_error_us", ToJson(truth.itl_error)},
          {"ttft_us", ToJson(truth.ttft)},
          {"itl_us", ToJson(truth.itl)},
          {"true_ttft_us", ToJson(truth.true_ttft)},
          {"true_itl_us", ToJson(truth.true_itl)}};
}

nlohmann::json CostJson(const ClientCost& before, const ClientCost& after, const SentEvents& log) {
  const LogWindow window = WindowOf(log, before.at_ns, after.at_ns);
  return {{"from_ns", before.at_ns},
          {"window_s", static_cast<double>(after.at_ns - before.at_ns) / 1e9},
          {"cpu_s", after.cpu_s - before.cpu_s},
          {"allocations", after.allocations - before.allocations},
          {"resident_kib", after.resident_kib},
          {"events", window.events},
          {"requests", window.requests},
          {"server_late_us", ToJson(window.late)}};
}

SentEvents ReadLogOrExit(const std::string& path) {
  absl::StatusOr<SentEvents> log = ReadSendLog(path);
  if (log.ok()) return *std::move(log);
  std::fprintf(stderr, "%s\n", std::string(log.status().message()).c_str());
  std::exit(1);
}

}  // namespace tidemark::bench
