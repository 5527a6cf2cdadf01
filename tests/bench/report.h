// The line of JSON that a client of `./dev bench` prints; bench.py reads it.
#ifndef TIDEMARK_TESTS_BENCH_REPORT_H_
#define TIDEMARK_TESTS_BENCH_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "tests/bench/client_cost.h"
#include "tests/bench/truth.h"

namespace tidemark::bench {

nlohmann::json ToJson(const Spread& spread);
nlohmann::json ToJson(const Truth& truth);

// What was measured between two readings of the cost, with what the server sent meanwhile.
nlohmann::json CostJson(const ClientCost& before, const ClientCost& after, const SentEvents& log);

// Ends the program when the log cannot be read: there is nothing to say then.
SentEvents ReadLogOrExit(const std::string& path);

}  // namespace tidemark::bench

#endif  // TIDEMARK_TESTS_BENCH_REPORT_H_
