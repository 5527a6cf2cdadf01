#include "common/settings/settings_table.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SettingsTableTest : public ::testing::Test {
 protected:
  SettingsTableTest() : table_("tidemark-test", "1.2.3", "tries settings") {
    table_.Text("id", "NAME", "its name", &id_);
    table_.Number("agent-wait", "S", "how long", 1, 3'600, &wait_);
    table_.List("allow-target", "PATTERN", "where to", &targets_);
    table_.Switch("plaintext", "no TLS", &plaintext_);
  }

  absl::StatusOr<std::optional<std::string>> Read(std::vector<std::string> arguments, std::vector<std::string> environment = {},
                                                  const std::string& file = "") {
    SettingSources sources;
    sources.arguments = std::move(arguments);
    sources.environment = std::move(environment);
    sources.file = [file](const std::string& path) -> absl::StatusOr<std::string> {
      if (path != "a.yaml") return absl::InvalidArgumentError("No such file or directory");
      return file;
    };
    return table_.Read(sources);
  }

  std::string Refused(std::vector<std::string> arguments, std::vector<std::string> environment = {}, const std::string& file = "") {
    const auto read = Read(std::move(arguments), std::move(environment), file);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(read.status().message());
  }

  std::string id_ = "default";
  uint64_t wait_ = 60;
  std::vector<std::string> targets_;
  bool plaintext_ = false;
  SettingsTable table_;
};

TEST_F(SettingsTableTest, NothingGivenLeavesTheDefaults) {
  ASSERT_TRUE(Read({}).ok());
  EXPECT_EQ(id_, "default");
  EXPECT_EQ(wait_, 60u);
  EXPECT_FALSE(plaintext_);
}

TEST_F(SettingsTableTest, ReadsFlagsInEverySpelling) {
  ASSERT_TRUE(Read({"--id", "a", "--agent_wait=5", "--allow-target", "x", "--allow-target=y", "--plaintext"}).ok());
  EXPECT_EQ(id_, "a");
  EXPECT_EQ(wait_, 5u);
  EXPECT_THAT(targets_, ElementsAre("x", "y"));
  EXPECT_TRUE(plaintext_);
}

TEST_F(SettingsTableTest, AFlagMayTurnASwitchOff) {
  ASSERT_TRUE(Read({"--plaintext=false"}, {"TIDEMARK_PLAINTEXT=true"}).ok());
  EXPECT_FALSE(plaintext_);
}

TEST_F(SettingsTableTest, ReadsVariables) {
  ASSERT_TRUE(Read({}, {"TIDEMARK_ID=a", "TIDEMARK_AGENT_WAIT=5", "TIDEMARK_ALLOW_TARGET=x\n y", "TIDEMARK_PLAINTEXT=true"}).ok());
  EXPECT_EQ(id_, "a");
  EXPECT_EQ(wait_, 5u);
  EXPECT_THAT(targets_, ElementsAre("x", "y"));
  EXPECT_TRUE(plaintext_);
}

TEST_F(SettingsTableTest, PassesOverVariablesThatAreNoSetting) {
  ASSERT_TRUE(Read({}, {"TIDEMARK_ID_PORT=tcp://10.0.0.1:7070", "TIDEMARK_SERVICE_HOST=10.0.0.1", "TIDEMARK_ID="}).ok());
  EXPECT_EQ(id_, "default");
}

TEST_F(SettingsTableTest, ReadsTheFile) {
  ASSERT_TRUE(Read({"--config", "a.yaml"}, {}, "id: a\nagent_wait: 5\nallow_target: [x, y]\nplaintext: true\n").ok());
  EXPECT_EQ(id_, "a");
  EXPECT_EQ(wait_, 5u);
  EXPECT_THAT(targets_, ElementsAre("x", "y"));
  EXPECT_TRUE(plaintext_);
}

TEST_F(SettingsTableTest, AFlagGoesBeforeAVariableAndThatBeforeTheFile) {
  ASSERT_TRUE(Read({"--id=flag"}, {"TIDEMARK_CONFIG=a.yaml", "TIDEMARK_ID=variable", "TIDEMARK_AGENT_WAIT=7"},
                   "id: file\nagent_wait: 8\nallow_target: z\n")
                  .ok());
  EXPECT_EQ(id_, "flag");
  EXPECT_EQ(wait_, 7u);
  EXPECT_THAT(targets_, ElementsAre("z"));
}

TEST_F(SettingsTableTest, NamesTheSourceTheValueAndWhatIsRight) {
  EXPECT_THAT(Refused({"--agent-wait", "0"}), AllOf(HasSubstr("--agent-wait is \"0\""), HasSubstr("from 1 to 3600")));
  EXPECT_THAT(Refused({}, {"TIDEMARK_AGENT_WAIT=soon"}), HasSubstr("TIDEMARK_AGENT_WAIT is \"soon\""));
  EXPECT_THAT(Refused({"--config=a.yaml"}, {}, "agent_wait: 1.5\n"), HasSubstr("a.yaml:1:1: agent_wait is \"1.5\""));
  EXPECT_THAT(Refused({"--plaintext=maybe"}), HasSubstr("want true or false"));
}

TEST_F(SettingsTableTest, RefusesUnknownNamesWithTheNearest) {
  EXPECT_THAT(Refused({"--agent-wiat", "5"}), HasSubstr("unknown flag --agent-wiat: did you mean \"--agent-wait\"?"));
  EXPECT_THAT(Refused({"--zzz"}), HasSubstr("unknown flag --zzz: see --help"));
  EXPECT_THAT(Refused({"--config=a.yaml"}, {}, "plain_text: true\n"),
              HasSubstr("a.yaml:1:1: unknown key \"plain_text\": did you mean \"plaintext\"?"));
  EXPECT_THAT(Refused({"start"}), HasSubstr("unexpected argument \"start\""));
}

TEST_F(SettingsTableTest, RefusesAFileThatNamesAFile) {
  EXPECT_THAT(Refused({"--config=a.yaml"}, {}, "config: b.yaml\n"), HasSubstr("unknown key \"config\""));
}

TEST_F(SettingsTableTest, RefusesWhatIsGivenTwice) {
  EXPECT_THAT(Refused({"--id=a", "--id=b"}), HasSubstr("--id: given more than once"));
  EXPECT_THAT(Refused({"--config=a.yaml"}, {}, "id: [a, b]\n"), HasSubstr("id: given more than once"));
}

TEST_F(SettingsTableTest, SaysThatAValueIsMissing) { EXPECT_THAT(Refused({"--id"}), HasSubstr("--id wants a value after it")); }

TEST_F(SettingsTableTest, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(Refused({"--config=b.yaml"}), HasSubstr("--config b.yaml cannot be read: No such file"));
}

TEST_F(SettingsTableTest, HelpNamesEverySettingWithItsDefault) {
  const auto help = Read({"--help", "--nonsense"});
  ASSERT_TRUE(help.ok() && help->has_value());
  for (const char* part : {"tidemark-test: tries settings", "--id NAME", "its name (default)", "--agent-wait S", "(60)",
                           "--allow-target PATTERN…", "--plaintext", "--config FILE", "TIDEMARK_LOG_LEVEL"}) {
    EXPECT_THAT(**help, HasSubstr(part));
  }
}

TEST_F(SettingsTableTest, SaysItsVersion) { EXPECT_EQ(Read({"--version"})->value(), "tidemark-test 1.2.3\n"); }

}  // namespace
}  // namespace tidemark
