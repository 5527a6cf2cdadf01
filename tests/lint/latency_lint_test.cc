// Invariant 3: latency is defined once. Only agent/core/request_record.cc subtracts two recorded points
// of a request for a metric.
#include <gtest/gtest.h>

#include "tests/lint/rule.h"

namespace tidemark::lint {
namespace {

bool Measuring(const std::string& path) {
  return IsCpp(path) && (HasPrefix(path, "agent/") || HasPrefix(path, "coordinator/") || HasPrefix(path, "common/"));
}

Rule LatencyRule() {
  const std::string point =
      R"re((\.|->)(planned|sent|connected|tls_done|first_byte|first_event|first_token|second_token)re"
      R"re(|first_output_token|last_token|ended)\b)re";
  const std::string owner = R"re(\w+(\(\))?((\.|->)\w+(\(\))?)*)re";
  return {"latency", View::kCode, point + R"re(\s*-[^->])re" + "|-=?\\s*" + owner + point + R"re((?!\())re", Measuring,
          {{"agent/core/request_record.cc", "the door: every latency is defined there"},
           {"agent/core/recorder.cc", "offsets within the window (mean in flight, Little's law), which are no latency"}},
          "call the latency functions of agent/core/request_record.h, or add one there"};
}

TEST(LatencyIsDefinedOnce, NobodyElseSubtractsPoints) {
  EXPECT_EQ(Violations(LatencyRule(), Tree()), std::vector<std::string>());
}

TEST(LatencyLint, SeesASubtractionOfPoints) {
  for (const char* line :
       {"const int64_t ttft = record.first_token - record.sent;", "x = now - record.sent;", "x = r->last_token - t;",
        "sum -= slot.record().ended;", "gap = record.second_token-record.first_token;"}) {
    EXPECT_TRUE(Refuses(LatencyRule(), "agent/engine/made_up.cc", line)) << line;
    EXPECT_FALSE(Refuses(LatencyRule(), "agent/core/request_record.cc", line)) << line;
  }
}

TEST(LatencyLint, LeavesOtherUseOfPointsAlone) {
  for (const char* line : {"record.sent = now;", "if (r.first_token > r.sent) return;", "deadline = r.sent + limit;",
                           "// first_token - sent", "\"first_token - sent\"", "a - b.ended();", "left = total - done;"}) {
    EXPECT_FALSE(Refuses(LatencyRule(), "agent/engine/made_up.cc", line)) << line;
  }
}

}  // namespace
}  // namespace tidemark::lint
