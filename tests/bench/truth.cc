#include "tests/bench/truth.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace tidemark::bench {
namespace {

constexpr int64_t kMostNsToServer = 5'000'000'000;

// Sorts `ns`.
Spread SpreadOf(std::vector<int64_t>* ns) {
  Spread spread;
  if (ns->empty()) return spread;
  std::sort(ns->begin(), ns->end());
  const auto at = [ns](double q) {
    return static_cast<double>((*ns)[static_cast<size_t>(q * static_cast<double>(ns->size() - 1))]) / 1e3;
  };
  double sum = 0;
  for (const int64_t each : *ns) sum += static_cast<double>(each);
  spread.count = ns->size();
  spread.mean = sum / static_cast<double>(ns->size()) / 1e3;
  spread.p50 = at(0.5);
  spread.p99 = at(0.99);
  spread.max = at(1);
  return spread;
}

struct ServerRequest {
  int64_t read_ns = 0;
  std::vector<int64_t> sends_ns;
};

// The log's requests by the key of their bodies.
using ServerRequests = std::unordered_multimap<uint32_t, ServerRequest>;

ServerRequests ByKey(const SentEvents& log) {
  ServerRequests by_key;
  std::unordered_map<uint64_t, ServerRequest*> under_way;
  for (const SentEvent& event : log.events) {
    const uint64_t id = uint64_t{event.connection} << 32 | event.request;
    if (event.event == kSentRequestRead) {
      under_way[id] = &by_key.emplace(event.detail, ServerRequest{event.time_ns, {}})->second;
    } else if (const auto found = under_way.find(id); event.event >= 0 && found != under_way.end()) {
      found->second->sends_ns.push_back(event.time_ns);
    }
  }
  return by_key;
}

// Keys of 32 bits may meet: the one that was read soonest after the client sent is it.
const ServerRequest* Find(const ServerRequests& all, const ClientRequest& request) {
  const ServerRequest* best = nullptr;
  const auto [begin, end] = all.equal_range(request.key);
  for (auto each = begin; each != end; ++each) {
    const int64_t after = each->second.read_ns - request.sent_ns;
    if (after < 0 || after > kMostNsToServer) continue;
    if (best == nullptr || each->second.read_ns < best->read_ns) best = &each->second;
  }
  return best;
}

struct Samples {
  std::vector<int64_t> ttft_error, itl_error, ttft, itl, true_ttft, true_itl;
};

void Add(const ClientRequest& request, const ServerRequest& server, Samples* samples) {
  const int64_t true_ttft = server.sends_ns[0] - request.sent_ns;
  samples->ttft.push_back(request.ttft_ns);
  samples->true_ttft.push_back(true_ttft);
  samples->ttft_error.push_back(std::abs(request.ttft_ns - true_ttft));
  for (size_t i = 0; i < request.gaps_ns.size(); ++i) {
    const int64_t true_gap = server.sends_ns[i + 1] - server.sends_ns[i];
    samples->itl.push_back(request.gaps_ns[i]);
    samples->true_itl.push_back(true_gap);
    samples->itl_error.push_back(std::abs(request.gaps_ns[i] - true_gap));
  }
}

}  // namespace

Truth CompareWithLog(const std::vector<ClientRequest>& requests, const SentEvents& log) {
  const ServerRequests all = ByKey(log);
  Truth truth;
  Samples samples;
  for (const ClientRequest& request : requests) {
    const ServerRequest* server = Find(all, request);
    if (server == nullptr || server->sends_ns.size() < request.gaps_ns.size() + 1) {
      ++truth.unmatched;
      continue;
    }
    ++truth.compared;
    Add(request, *server, &samples);
  }
  truth.ttft_error = SpreadOf(&samples.ttft_error);
  truth.itl_error = SpreadOf(&samples.itl_error);
  truth.ttft = SpreadOf(&samples.ttft);
  truth.itl = SpreadOf(&samples.itl);
  truth.true_ttft = SpreadOf(&samples.true_ttft);
  truth.true_itl = SpreadOf(&samples.true_itl);
  return truth;
}

LogWindow WindowOf(const SentEvents& log, int64_t from_ns, int64_t to_ns) {
  LogWindow window;
  std::vector<int64_t> late;
  for (const SentEvent& event : log.events) {
    if (event.time_ns < from_ns || event.time_ns >= to_ns) continue;
    if (event.event == kSentEnd) ++window.requests;
    if (event.event < 0) continue;
    ++window.events;
    late.push_back(event.detail);
  }
  window.late = SpreadOf(&late);
  return window;
}

Spread StartLateness(const SentEvents& log, int64_t start_ns, int64_t span_ns, uint64_t count) {
  std::vector<int64_t> late;
  for (const SentEvent& event : log.events) {
    if (event.event != kSentRequestRead || late.size() >= count) continue;
    const auto index = static_cast<int64_t>(late.size());
    const int64_t planned = start_ns + span_ns * index / static_cast<int64_t>(count);
    late.push_back(event.time_ns - planned);
  }
  return SpreadOf(&late);
}

}  // namespace tidemark::bench
