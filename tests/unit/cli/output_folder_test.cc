#include "cli/output_folder.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr int64_t kWall = 1'769'903'999'000'000'000;  // 2026-01-31T23:59:59Z

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/tidemark_output_XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  OutputFolderOptions Default() const {
    OutputFolderOptions options;
    options.base = root_ + "/results";
    options.name = "run";
    options.wall_nanos = kWall;
    return options;
  }
  OutputFolderOptions In(const std::string& name) const {
    OutputFolderOptions options;
    options.dir = root_ + "/" + name;
    return options;
  }
  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string root_;
};

TEST_F(OutputFolderTest, IsNamedByTimeAndJobAndLatestPointsToIt) {
  const auto folder = OutputFolder::Prepare(Default());
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_EQ(folder->path(), root_ + "/results/20260131T235959Z-run");
  EXPECT_EQ(fs::read_symlink(root_ + "/results/latest"), "20260131T235959Z-run");
  EXPECT_TRUE(fs::is_directory(folder->JournalDir()));
}

TEST_F(OutputFolderTest, AJobsNameLeadsToNoOtherFolder) {
  OutputFolderOptions options = Default();
  options.name = "/../../elsewhere";
  const auto folder = OutputFolder::Prepare(options);
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_EQ(folder->path(), root_ + "/results/20260131T235959Z--..-..-elsewhere");
}

TEST_F(OutputFolderTest, OfTwoRunsInOneSecondDiffer) {
  ASSERT_TRUE(OutputFolder::Prepare(Default()).ok());
  const auto second = OutputFolder::Prepare(Default());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->path(), root_ + "/results/20260131T235959Z-run-2");
  EXPECT_EQ(fs::read_symlink(root_ + "/results/latest"), "20260131T235959Z-run-2");
}

TEST_F(OutputFolderTest, RefusesAFolderWithFilesUnlessToldToOverwrite) {
  OutputFolderOptions options = In("d");
  ASSERT_TRUE(OutputFolder::Prepare(options)->WriteFile("a", "x").ok());
  const absl::Status refused = OutputFolder::Check(options);
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--overwrite"));
  options.overwrite = true;
  EXPECT_TRUE(OutputFolder::Prepare(options).ok());
}

// The files below `path`, in order of their names.
std::vector<std::string> FilesOf(const std::string& path) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (!entry.is_directory()) files.push_back(fs::relative(entry.path(), path).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_F(OutputFolderTest, OverwritesByRemovingTheOldRunsFiles) {
  OutputFolderOptions options = In("d");
  auto old = OutputFolder::Prepare(options);
  for (const char* name :
       {"result.json", "result.json.tmp.7", "summary.txt", "report.html", "levels.csv", "search_history.json",
        ".records-0-1-local", "journal/j-0-1.jsonl", "concurrency_8/profile_export_aiperf.json",
        "concurrency_8/profile_export_aiperf.csv", "concurrency_8/profile_export.jsonl",
        "sweep_aggregate/profile_export_aiperf_sweep.json", "sweep_aggregate/profile_export_aiperf_sweep.csv"}) {
    ASSERT_TRUE(old->WriteFile(name, "x").ok());
  }
  old = absl::CancelledError("that run is over");
  options.overwrite = true;
  ASSERT_TRUE(OutputFolder::Prepare(options).ok());
  EXPECT_THAT(FilesOf(options.dir), IsEmpty());
  EXPECT_FALSE(fs::exists(options.dir + "/concurrency_8"));
}

TEST_F(OutputFolderTest, OverwritesNothingThatNoRunWrites) {
  OutputFolderOptions options = In("d");
  auto old = OutputFolder::Prepare(options);
  const std::vector<std::string> others = {"concurrency_8/notes.txt", "concurrency_x/profile_export.jsonl",
                                           "journal/sub/a-0-1.jsonl", "journal/mine.jsonl", "mine/result.json", "result.json.bak"};
  for (const std::string& name : others) ASSERT_TRUE(old->WriteFile(name, "x").ok());
  fs::create_directory_symlink(root_ + "/d/mine", root_ + "/d/sweep_aggregate");
  ASSERT_TRUE(old->WriteFile("mine/profile_export_aiperf_sweep.csv", "x").ok());
  old = absl::CancelledError("that run is over");
  options.overwrite = true;
  ASSERT_TRUE(OutputFolder::Prepare(options).ok());
  EXPECT_THAT(FilesOf(options.dir), IsSupersetOf(others));
  EXPECT_TRUE(fs::exists(root_ + "/d/mine/profile_export_aiperf_sweep.csv"));
}

TEST_F(OutputFolderTest, TakesAnEmptyFolderAndRefusesAFile) {
  fs::create_directory(root_ + "/empty");
  EXPECT_TRUE(OutputFolder::Prepare(In("empty")).ok());
  std::ofstream(root_ + "/file") << "x";
  EXPECT_TRUE(absl::IsInvalidArgument(OutputFolder::Check(In("file"))));
}

TEST_F(OutputFolderTest, TakesTheFolderOfARunThatLeftNoFiles) {
  ASSERT_TRUE(OutputFolder::Prepare(In("d")).ok());
  EXPECT_TRUE(OutputFolder::Prepare(In("d")).ok());
}

TEST_F(OutputFolderTest, WritesWholeFilesAndMakesTheirFolders) {
  const auto folder = OutputFolder::Prepare(In("d"));
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(folder->WriteFile("concurrency_4/a.json", "one").ok());
  ASSERT_TRUE(folder->WriteFile("concurrency_4/a.json", "two").ok());
  EXPECT_EQ(Read(folder->path() + "/concurrency_4/a.json"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder->path() + "/concurrency_4"),
                          fs::directory_iterator()),
            1);
}

TEST_F(OutputFolderTest, KeepsTheOldFileWhenTheDiskIsFull) {
  const auto folder = OutputFolder::Prepare(In("d"));
  ASSERT_TRUE(folder.ok());
  ASSERT_TRUE(folder->WriteFile("a", "old").ok());
  // A limit on file size stands for the full disk: the write fails midway.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = folder->WriteFile("a", std::string(100'000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder->path() + "/a"));
  EXPECT_EQ(Read(folder->path() + "/a"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder->path()), fs::directory_iterator()), 2);
}

TEST_F(OutputFolderTest, SaysWhatToDoWhenTheDiskIsFull) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  const auto folder = OutputFolder::Prepare(In("d"));
  ASSERT_TRUE(folder.ok());
  fs::create_symlink("/dev/full", folder->path() + "/a.tmp." + std::to_string(getpid()));
  const absl::Status status = folder->WriteFile("a", "x");
  EXPECT_THAT(std::string(status.message()), HasSubstr("another --output-dir"));
}

TEST_F(OutputFolderTest, AFolderThatAnotherRunHoldsIsRefused) {
  OutputFolderOptions options = Default();
  options.dir = root_ + "/mine";
  const absl::StatusOr<OutputFolder> first = OutputFolder::Prepare(options);
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::Status second = OutputFolder::Prepare(options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(second));
  EXPECT_THAT(std::string(second.message()), HasSubstr("another run writes into it now"));
}

TEST_F(OutputFolderTest, TwoRunsOfOneSecondHaveFoldersOfTheirOwn) {
  const absl::StatusOr<OutputFolder> first = OutputFolder::Prepare(Default());
  const absl::StatusOr<OutputFolder> second = OutputFolder::Prepare(Default());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->path(), second->path());
}

}  // namespace
}  // namespace tidemark
