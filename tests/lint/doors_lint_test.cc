// Invariant 2: heavy libraries have few doors. Each library of the table is included only there.
#include <gtest/gtest.h>

#include "tests/lint/rule.h"

namespace tidemark::lint {
namespace {

struct Library {
  const char* name;
  const char* headers;   // pattern of what stands between the quotes or brackets
  const char* included;  // an example of it
  std::vector<Door> doors;
};

const Library kLibraries[] = {
    {"curl", "curl/", "curl/curl.h",
     {{"agent/http/", "the measured path"}, {"common/http_client/", "blocking requests of the control path"}}},
    {"openssl", "openssl/", "openssl/ssl.h",
     {{"agent/http/", "libcurl's context: one set of CA certificates for all connections"},
      {"common/http_client/", "the same, on the control path"},
      {"common/http_server/", "certificates read anew for each connection, client certificates"},
      {"common/rpc/tls_files.cc", "looks at the certificates of a cluster's parts"},
      {"coordinator/rpc/tokens_file.cc", "hashes and compares the clients' tokens"},
      {"simulator/tls_context.", "the simulator's own TLS"}}},
    {"grpc", R"((grpcpp|grpc)/|.*\.grpc\.pb\.h)", "proto/tidemark/v1/agent_session.grpc.pb.h",
     {{"agent/session/", "the agent's end of the session"},
      {"coordinator/rpc/", "the coordinator's services"},
      {"common/rpc/", "credentials and health, the same for agent, coordinator and client"},
      {"client/", "the public API's client"},
      {"cli/one_host.", "makes the in-process server and channel of a run on one host"}}},
    {"protobuf_json", "google/protobuf/util/", "google/protobuf/util/json_util.h",
     {{"coordinator/report/", "result.json is protobuf's own JSON of the result"}}},
    {"nlohmann", "nlohmann/", "nlohmann/json.hpp",
     {{"common/json/", "the JSON of control paths"},
      {"simulator/request_json.cc", "the simulator shares no decoder with the agent"}}},
    {"simdjson", R"(simdjson(\.h|/))", "simdjson.h", {{"agent/endpoint/", "parses the events of the measured path"}}},
    {"yaml", "yaml-cpp/", "yaml-cpp/yaml.h", {{"coordinator/core/job_spec/", "job files"}, {"common/settings/", "settings files of daemons"}, {"client/contexts.cc", "contexts.yaml of the command"}}},
    {"cli11", "CLI/", "CLI/CLI.hpp",
     {{"cli/sweep_flags.cc", "the command's flags"}, {"cli/job_flags.cc", "those of its job commands"},
      {"common/settings/", "the daemons' flags"}, {"simulator/main.cc", "the simulator's flags"}}},
    {"spdlog", "spdlog/", "spdlog/spdlog.h", {{"common/log/", "the log"}}},
    {"sqlite", R"((SQLiteCpp/|sqlite3\w*\.h))", "SQLiteCpp/SQLiteCpp.h",
     {{"coordinator/store/", "the coordinator's memory on disk"}}},
    {"boost", "boost/", "boost/math/distributions/normal.hpp", {{"common/statistics/", "distributions"}}},
    {"libevent", R"((event2/|event\.h|evhttp\.h))", "event2/event.h", {{"simulator/", "the simulator's server"}}},
    {"httplib", R"(httplib\.h)", "httplib.h", {{"common/http_server/", "parses requests and writes answers"}}},
    {"prometheus", "prometheus/", "prometheus/text_serializer.h",
     {{"common/exposition/", "its serializer: the text that Prometheus reads"}}},
    {"absl_time", "absl/time/", "absl/time/time.h", {{"common/wall_time/", "calendar text of a time; it reads no clock"}}},
};

Rule RuleOf(const Library& library) {
  return {library.name, View::kUncommented,
          std::string(R"re(^\s*#\s*include\s*[<"])re") + library.headers, ProductCpp, library.doors,
          std::string(library.name) + " has its doors in tests/lint/doors_lint_test.cc; call what they offer"};
}

class HeavyLibrary : public testing::TestWithParam<Library> {};

TEST_P(HeavyLibrary, IsIncludedOnlyAtItsDoors) {
  EXPECT_EQ(Violations(RuleOf(GetParam()), Tree()), std::vector<std::string>());
}

TEST_P(HeavyLibrary, IsSeenElsewhere) {
  const std::string included = GetParam().included;
  for (const std::string& line : {"#include <" + included + ">", "# include \"" + included + "\""}) {
    EXPECT_TRUE(Refuses(RuleOf(GetParam()), "agent/core/made_up.h", line)) << line;
    EXPECT_FALSE(Refuses(RuleOf(GetParam()), "agent/core/made_up.h", "// " + line)) << line;
    EXPECT_FALSE(Refuses(RuleOf(GetParam()), GetParam().doors[0].prefix + "made_up.cc", line)) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Doors, HeavyLibrary, testing::ValuesIn(kLibraries),
                         [](const testing::TestParamInfo<Library>& info) { return info.param.name; });

// What no code of the project includes, tests neither.
Rule UnusedAbseilRule() {
  return {"Abseil's log, locks and hashes", View::kUncommented,
          R"re(^\s*#\s*include\s*[<"]absl/(log|synchronization|hash|random|container/(flat|node)_hash_\w+))re", AnyCpp, {},
          "use common/log, common/mutex.h, std containers, common/rng: see ARCHITECTURE.md"};
}

TEST(Abseil, LogLocksAndHashContainersAreNotUsed) {
  EXPECT_EQ(Violations(UnusedAbseilRule(), Tree()), std::vector<std::string>());
}

TEST(Abseil, LogLocksAndHashContainersAreSeen) {
  for (const char* header : {"absl/log/log.h", "absl/synchronization/mutex.h", "absl/container/flat_hash_map.h",
                             "absl/container/node_hash_set.h", "absl/hash/hash.h"}) {
    EXPECT_TRUE(Refuses(UnusedAbseilRule(), "tests/unit/made_up/a_test.cc", std::string("#include \"") + header + "\""))
        << header;
  }
  EXPECT_FALSE(Refuses(UnusedAbseilRule(), "common/made_up.h", "#include \"absl/container/inlined_vector.h\""));
}

}  // namespace
}  // namespace tidemark::lint
