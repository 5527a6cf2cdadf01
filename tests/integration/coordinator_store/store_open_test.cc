// Who gets a data directory, and which files are refused.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/integration/coordinator_store/store_fixture.h"

namespace tidemark::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kDeadlineMs = 30'000;

class StoreOpen : public StoreTest {
 protected:
  absl::Status OpenError() const { return JobStore::Open(dir()).status(); }

  // The store's files, put there by somebody else.
  void WriteStoreFile(const std::string& content) const {
    std::filesystem::create_directory(dir());
    std::ofstream(file(), std::ios::binary) << content;
  }

  // A store with 40 entries of 3,000 bytes, closed.
  void MakeLongJournal() {
    Open();
    ASSERT_TRUE(store_->PutJob(MakeJob("a", 1)).ok());
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(store_->Append("a", MakeEntry(std::string(3000, 'x'))).ok());
    Close();
  }

  // Overwrites pages 8 to 12 of what MakeLongJournal wrote.
  void DamagePages() const {
    std::fstream out(file(), std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(7 * 4096);
    out << std::string(5 * 4096, '\xff');
  }
};

mode_t ModeOf(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
}

TEST_F(StoreOpen, MakesADirectoryAndFilesThatOnlyTheirOwnerReads) {
  Open();
  EXPECT_EQ(ModeOf(dir()), 0700u);
  EXPECT_EQ(ModeOf(file()), 0600u);
  EXPECT_EQ(ModeOf(file() + "-wal"), 0600u);
}

TEST_F(StoreOpen, MakesTheDirectoriesAboveToo) {
  const std::unique_ptr<JobStore> store = MustOpen(folder_.File("a/b/c/"));
  EXPECT_EQ(ModeOf(folder_.File("a/b/c")), 0700u);
}

TEST_F(StoreOpen, LeavesTheModeOfADirectoryThatIsThere) {
  mkdir(dir().c_str(), 0755);
  ASSERT_EQ(chmod(dir().c_str(), 0755), 0);
  Open();
  EXPECT_EQ(ModeOf(dir()), 0755u);
}

TEST_F(StoreOpen, RefusesAPathThatIsAFile) {
  const std::string path = folder_.Write("file", "mine");
  const absl::Status status = JobStore::Open(path).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr(path), HasSubstr("is no directory")));
  EXPECT_EQ(ReadFile(path), "mine");
}

TEST_F(StoreOpen, RefusesADirectoryThatCannotBeMade) {
  const absl::Status status = JobStore::Open(folder_.Write("file", "") + "/below").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("Not a directory"));
}

TEST_F(StoreOpen, RefusesADirectoryThatNothingCanBeWrittenInto) {
  const absl::Status status = JobStore::Open("/proc").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/proc cannot be written"));
}

TEST_F(StoreOpen, RefusesAnEmptyPath) { EXPECT_TRUE(absl::IsInvalidArgument(JobStore::Open("").status())); }

TEST_F(StoreOpen, CountsStartsUnderOneUuid) {
  Open();
  const SessionEpoch first = store_->epoch();
  EXPECT_EQ(first.counter, 1u);
  EXPECT_THAT(first.store_uuid, ::testing::MatchesRegex("[0-9a-f]{32}"));
  for (uint64_t start = 2; start <= 4; ++start) {
    Close();
    Open();
    EXPECT_EQ(store_->epoch(), (SessionEpoch{first.store_uuid, start}));
  }
}

TEST_F(StoreOpen, TwoStoresHaveTwoUuids) {
  Open();
  EXPECT_NE(MustOpen(folder_.File("other"))->epoch().store_uuid, store_->epoch().store_uuid);
}

TEST_F(StoreOpen, RefusesADirectoryThatThisProcessHolds) {
  Open();
  const absl::Status status = OpenError();
  EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("process ", getpid(), " on ")));
}

TEST_F(StoreOpen, NamesTheProcessAndTheHostThatHoldTheDirectory) {
  Process holder(WorkerOptions({"hold", dir()}));
  ASSERT_TRUE(holder.WaitForText("held", kDeadlineMs)) << holder.err();
  const absl::Status status = OpenError();
  EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const std::string wanted = absl::StrCat("the data directory ", dir(), " is held by process ", holder.pid(), " on ");
  EXPECT_THAT(std::string(status.message()), HasSubstr(wanted + host));
}

TEST_F(StoreOpen, GetsTheDirectoryOfAProcessThatWasKilled) {
  Process holder(WorkerOptions({"hold", dir()}));
  ASSERT_TRUE(holder.WaitForText("held", kDeadlineMs)) << holder.err();
  holder.Signal(SIGKILL);
  ASSERT_TRUE(holder.Wait(kDeadlineMs).has_value());
  Open();
  EXPECT_EQ(store_->epoch().counter, 2u);
}

// A child that outlives its parent must not keep the parent's directory.
TEST_F(StoreOpen, AChildOfTheHolderDoesNotHoldTheDirectory) {
  Open();
  ProcessOptions options;
  options.arguments = {"/bin/sh", "-c", "echo started; exec sleep 30"};
  Process child(options);
  ASSERT_TRUE(child.WaitForText("started", kDeadlineMs)) << child.err();
  Close();
  Open();
  EXPECT_NE(store_, nullptr);
}

TEST_F(StoreOpen, RefusesANewerSchemaNamingBothVersions) {
  Open();
  Close();
  SQLite::Database(file(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 2");
  const std::string before = ReadFile(file());
  const absl::Status status = OpenError();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(file()), HasSubstr("schema version 2"), HasSubstr("up to 1")));
  EXPECT_EQ(ReadFile(file()), before);
}

TEST_F(StoreOpen, RefusesAFileThatIsNoDatabase) {
  const std::string text(10'000, 'n');
  WriteStoreFile(text);
  const absl::Status status = OpenError();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(file()));
  EXPECT_EQ(ReadFile(file()), text);
}

TEST_F(StoreOpen, RefusesAnotherProgramsDatabase) {
  std::filesystem::create_directory(dir());
  SQLite::Database(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE theirs (x)");
  const std::string before = ReadFile(file());
  const absl::Status status = OpenError();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("another program's"));
  EXPECT_EQ(ReadFile(file()), before);
}

TEST_F(StoreOpen, RefusesAFileThatIsCutOff) {
  MakeLongJournal();
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) / 2);
  const std::string before = ReadFile(file());
  const absl::Status status = OpenError();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(file()));
  EXPECT_EQ(ReadFile(file()), before);
}

TEST_F(StoreOpen, RefusesAFileWithDamagedPages) {
  MakeLongJournal();
  DamagePages();
  const std::string before = ReadFile(file());
  const absl::Status status = OpenError();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_EQ(ReadFile(file()), before);
}

// What may be saved of a damaged store lies in its log as well.
TEST_F(StoreOpen, LeavesTheLogOfADamagedFile) {
  MakeLongJournal();
  Process writer(WorkerOptions({"append", dir()}));
  ASSERT_TRUE(writer.WaitForText("<3>", kDeadlineMs)) << writer.err();
  writer.Signal(SIGKILL);
  ASSERT_TRUE(writer.Wait(kDeadlineMs).has_value());
  DamagePages();
  const std::string before = ReadFile(file()), log_before = ReadFile(file() + "-wal");
  EXPECT_TRUE(absl::IsDataLoss(OpenError()));
  EXPECT_FALSE(log_before.empty());
  EXPECT_EQ(ReadFile(file() + "-wal"), log_before);
  EXPECT_EQ(ReadFile(file()), before);
}

TEST_F(StoreOpen, ARefusedFileDoesNotKeepTheDirectory) {
  WriteStoreFile(std::string(10'000, 'n'));
  ASSERT_FALSE(OpenError().ok());
  std::filesystem::remove(file());
  Open();
  EXPECT_NE(store_, nullptr);
}

TEST_F(StoreOpen, SaysWhichMessageCannotBeRead) {
  Open();
  ASSERT_TRUE(store_->Finish(MakeJob("a", 1), MakeResult("r")).ok());
  Close();
  SQLite::Database(file(), SQLite::OPEN_READWRITE).exec("UPDATE results SET result = x'ffffffff'");
  Open();
  const absl::Status status = store_->GetResult("a").status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr(file()), HasSubstr("the result of job a")));
  EXPECT_THAT(JobIds(*store_), ElementsAre("a"));
}

}  // namespace
}  // namespace tidemark::testing
