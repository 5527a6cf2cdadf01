// Code includes only its own layer and those to the left; agent, coordinator and simulator never include
// each other; nothing shipped includes a test. (The link step is checked by cmake/tidemark.cmake, whose
// table this is.)
#include <gtest/gtest.h>

#include <regex>

#include "tests/lint/source_tree.h"

namespace tidemark::lint {
namespace {

struct Layer {
  const char* folder;
  int number;
};

// The first that fits.
constexpr Layer kLayers[] = {
    {"proto/", 0},         {"common/", 1},           {"agent/core/", 2},         {"agent/workload/", 2},
    {"agent/decode/", 2},  {"coordinator/core/", 2}, {"agent/endpoint/", 3},     {"coordinator/report/", 3},
    {"agent/", 4},         {"coordinator/", 4},      {"client/", 4},             {"simulator/", 4},
    {"cli/", 5},           {"tests/", 6}};

int LayerOf(const std::string& path) {
  for (const Layer& layer : kLayers) {
    if (HasPrefix(path, layer.folder)) return layer.number;
  }
  return -1;  // not ours
}

std::string Side(const std::string& path) {
  for (const char* side : {"agent/", "coordinator/", "simulator/"}) {
    if (HasPrefix(path, side)) return side;
  }
  return "";
}

bool MayInclude(const std::string& from, const std::string& what) {
  if (LayerOf(from) < 0 || LayerOf(what) < 0) return true;
  if (LayerOf(what) > LayerOf(from)) return false;
  if (HasPrefix(from, "simulator/")) return HasPrefix(what, "simulator/");  // the independent oracle
  return Side(from).empty() || Side(what).empty() || Side(from) == Side(what);
}

std::vector<std::string> WrongIncludes(const std::vector<SourceFile>& files) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::vector<std::string> wrong;
  for (const SourceFile& file : files) {
    if (!IsCpp(file.path)) continue;
    for (const std::string& line : Lines(file.uncommented)) {
      std::smatch match;
      if (!std::regex_search(line, match, kInclude) || MayInclude(file.path, match[1])) continue;
      wrong.push_back(file.path + " includes " + match[1].str());
    }
  }
  return wrong;
}

bool Refused(const std::string& from, const std::string& what) {
  return !WrongIncludes({MakeSourceFile(from, "#include \"" + what + "\"")}).empty();
}

TEST(Layers, IncludesOnlyGoLeft) { EXPECT_EQ(WrongIncludes(Tree()), std::vector<std::string>()); }

TEST(LayersLint, SeesAgentAndCoordinatorIncludingEachOther) {
  EXPECT_TRUE(Refused("agent/session/made_up.cc", "coordinator/core/registry.h"));
  EXPECT_TRUE(Refused("coordinator/driver/made_up.cc", "agent/core/outcome.h"));
}

TEST(LayersLint, SeesTheSimulatorSharingCode) {
  EXPECT_TRUE(Refused("simulator/made_up.cc", "agent/decode/sse_decoder.h"));
  EXPECT_TRUE(Refused("simulator/made_up.cc", "common/json/json.h"));
  EXPECT_TRUE(Refused("agent/http/made_up.cc", "simulator/stats.h"));
}

TEST(LayersLint, SeesAnIncludeToTheRight) {
  EXPECT_TRUE(Refused("common/made_up.h", "agent/core/outcome.h"));
  EXPECT_TRUE(Refused("agent/core/made_up.h", "agent/http/transport.h"));
  EXPECT_TRUE(Refused("coordinator/core/made_up.h", "coordinator/rpc/session_service.h"));
  EXPECT_TRUE(Refused("cli/made_up.cc", "tests/support/fake_clock.h"));
}

TEST(LayersLint, LetsTheCommandComposeBoth) {
  EXPECT_FALSE(Refused("cli/made_up.cc", "agent/session/agent_session.h"));
  EXPECT_FALSE(Refused("cli/made_up.cc", "coordinator/driver/coordinator.h"));
  EXPECT_FALSE(Refused("agent/http/made_up.cc", "agent/core/outcome.h"));
}

}  // namespace
}  // namespace tidemark::lint
