#include "cli/sweep.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/mutex.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

v1::Result OneGoodLevel() {
  v1::Result result;
  v1::LevelResult* level = result.add_levels();
  level->set_concurrency(4);
  level->mutable_measured()->set_ok(100);
  return result;
}

// What the scripted runner saw and is to give back.
struct Script {
  absl::StatusOr<v1::Result> result = OneGoodLevel();
  bool interrupt = false;  // sends itself SIGINT and waits for Stop, at most 10 s
  RunRequest request;
  bool ran = false;
};

class ScriptedRunner final : public Runner {
 public:
  explicit ScriptedRunner(Script& script) : script_(script) {}

  absl::StatusOr<v1::Result> Run(const RunRequest& request, const RunCallbacks& callbacks) override {
    script_.request = request;
    script_.ran = true;
    if (script_.result.ok()) callbacks.level_done(script_.result->levels(0));
    if (script_.interrupt) AwaitStop();
    return script_.result;
  }

  void Stop(bool) override {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }

 private:
  void AwaitStop() {
    kill(getpid(), SIGINT);
    MutexLock lock(mutex_);
    for (int turns = 0; !stopped_ && turns < 100; ++turns) changed_.WaitFor(mutex_, 100'000'000);
    EXPECT_TRUE(stopped_);
  }

  Script& script_;
  Mutex mutex_;
  CondVar changed_;
  bool stopped_ TIDEMARK_GUARDED_BY(mutex_) = false;
};

class SweepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/tidemark_sweep_XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    root_ = pattern;
    world_.out = &out_;
    world_.err = &err_;
    world_.clock = &RealClock();
    world_.version = "0";
    world_.descriptor_limit = 1024;
    world_.simulator_program = "/nonexistent/tidemark-sim";
    world_.make_runner = [this] { return std::make_unique<ScriptedRunner>(script_); };
    world_.output.files = [this](const v1::Result&) { return files_; };
    world_.output.json = [](const v1::Result&) { return std::string("{}\n"); };
    world_.output.summary = [](const v1::Result&, const std::string&) {
      return std::string("answer\n");
    };
  }
  void TearDown() override {
    unsetenv("TIDEMARK_API_KEY");
    fs::remove_all(root_);
  }

  // A run against a URL that nothing dials, into a folder of its own.
  int Run(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"--url", "http://127.0.0.1:9", "--output-dir", root_ + "/o"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunSweep(world_, arguments);
  }

  std::string root_;
  SweepWorld world_;
  Script script_;
  std::vector<ReportFile> files_ = {{"summary.txt", "answer"}};
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(SweepTest, GivesTheAnswerOnStandardOutputAndTheRestOnTheOther) {
  EXPECT_EQ(Run({"--concurrency", "4"}), 0);
  EXPECT_EQ(out_.str(), "answer\n");
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("http://127.0.0.1:9/v1/chat/completions"),
                                HasSubstr("concurrency    4  done · 100 requests")));
  EXPECT_TRUE(fs::exists(root_ + "/o/summary.txt"));
}

TEST_F(SweepTest, WithJsonGivesOnlyTheDocumentOnStandardOutput) {
  EXPECT_EQ(Run({"--json"}), 0);
  EXPECT_EQ(out_.str(), "{}\n");
}

TEST_F(SweepTest, DryRunSendsAndMakesNothing) {
  EXPECT_EQ(Run({"--dry-run"}), 0);
  EXPECT_FALSE(script_.ran);
  EXPECT_FALSE(fs::exists(root_ + "/o"));
  EXPECT_THAT(out_.str(), HasSubstr("concurrency: [1, 2, 4, 8, 16, 32, 64]"));
  EXPECT_THAT(err_.str(), HasSubstr("Estimate"));
}

TEST_F(SweepTest, DryRunAsJsonIsOneDocument) {
  EXPECT_EQ(Run({"--dry-run", "--json", "--concurrency", "4"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("{\"job\":{\"name\":\"sweep\""),
                                HasSubstr("\"estimate\":{\"levels\":1,\"measured_requests\":100")));
}

TEST_F(SweepTest, RefusesUsageInOneLine) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--concurency", "4"}, {"--concurrency", "0"}, {"-f", "/nonexistent"},
        {"--ca-cert", "/nonexistent"}, {"--api-key-env", "TIDEMARK_NOT_SET"}, {"--log-level", "x"}}) {
    err_.str("");
    EXPECT_EQ(Run(arguments), 2) << arguments[0];
    const std::string said = err_.str();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
  EXPECT_FALSE(script_.ran);
}

TEST_F(SweepTest, RefusesConcurrencyAboveTheDescriptorLimitNamingBothNumbers) {
  EXPECT_EQ(Run({"--concurrency", "769"}), 2);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("concurrency is 769: at most 768"), HasSubstr("1024")));
}

TEST_F(SweepTest, RefusesAnOutputFolderWithFiles) {
  fs::create_directory(root_ + "/o");
  std::ofstream(root_ + "/o/a") << "x";
  EXPECT_EQ(Run({}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--overwrite"));
  EXPECT_EQ(Run({"--overwrite"}), 0);
}

TEST_F(SweepTest, TakesTheKeyIntoAVariableAndShowsItNowhere) {
  EXPECT_EQ(Run({"--api-key", "sesame", "-H", "Cookie: sesame"}), 0);
  EXPECT_STREQ(getenv("TIDEMARK_API_KEY"), "sesame");
  EXPECT_EQ(script_.request.spec.endpoint.api_key_env, "TIDEMARK_API_KEY");
  EXPECT_THAT(err_.str() + script_.request.job_yaml, Not(HasSubstr("sesame")));
  for (const std::string& word : script_.request.command) EXPECT_THAT(word, Not(HasSubstr("sesame")));
}

TEST_F(SweepTest, ReadsEnvironmentConfigAndJobFileInTheirOrder) {
  std::ofstream(root_ + "/job.yaml") << "parameters: {isl: 1, osl: 1, seed: 1, request_count: 1}";
  std::ofstream(root_ + "/config.yaml") << "{isl: 2, osl: 2, seed: 2}";
  world_.environment = {"TIDEMARK_ISL=3", "TIDEMARK_OSL=3", "TIDEMARK_SERVICE_PORT=80"};
  EXPECT_EQ(Run({"-f", root_ + "/job.yaml", "--config", root_ + "/config.yaml", "--isl", "4"}), 0);
  const JobSpec& spec = script_.request.spec;
  EXPECT_EQ(spec.workload.input.mean, 4);
  EXPECT_EQ(spec.workload.output.mean, 3);
  EXPECT_EQ(spec.workload.seed, 2u);
  EXPECT_EQ(spec.request_count, 1u);
}

TEST_F(SweepTest, EndsWithOneWhenTheJobLeftNoResult) {
  script_.result = absl::UnavailableError("no agent");
  EXPECT_EQ(Run({}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("tidemark: no agent"));
}

TEST_F(SweepTest, StripsWhatItComplainsOfOfControlCharacters) {
  script_.result = absl::UnavailableError("model \x1b]52;c;cm0gLXJm\x07");
  EXPECT_EQ(Run({}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("tidemark: model ]52;c;cm0gLXJm\n"));
}

TEST_F(SweepTest, EndsWithOneWhenResultsCannotBeWrittenButStillAnswers) {
  files_ = {{"journal", "a folder of this name is there"}};
  EXPECT_EQ(Run({}), 1);
  EXPECT_EQ(out_.str(), "answer\n");
}

TEST_F(SweepTest, EndsWithOneWhenTheSimulatorIsMissing) {
  EXPECT_EQ(RunSweep(world_, {"--output-dir", root_ + "/o"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("/nonexistent/tidemark-sim"));
}

TEST_F(SweepTest, RunsAgainstTheBuiltInSimulatorWithoutKeepingItsAddress) {
  world_.simulator_program = TIDEMARK_BIN_DIR "/tidemark-sim";
  EXPECT_EQ(RunSweep(world_, {"--output-dir", root_ + "/o"}), 0);
  EXPECT_TRUE(script_.request.simulator);
  EXPECT_THAT(script_.request.spec.endpoint.urls, ElementsAre(HasSubstr("http://127.0.0.1:")));
  EXPECT_THAT(script_.request.job_yaml, Not(HasSubstr("127.0.0.1")));
  EXPECT_THAT(err_.str(), HasSubstr("(the built-in simulator)"));
}

TEST_F(SweepTest, StopsTheJobAtASignalAndKeepsWhatThereIs) {
  script_.interrupt = true;
  EXPECT_EQ(Run({}), 130);
  EXPECT_THAT(err_.str(), HasSubstr("once more cancels them"));
  EXPECT_EQ(out_.str(), "answer\n");
  EXPECT_TRUE(fs::exists(root_ + "/o/summary.txt"));
}

}  // namespace
}  // namespace tidemark
