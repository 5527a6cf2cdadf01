#include "common/files/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tidemark {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WholeFile : public testing::Test {
 protected:
  WholeFile() : root_(fs::path(testing::TempDir()) / ("whole_file_" + std::to_string(getpid()))) {
    fs::create_directories(root_);
  }
  ~WholeFile() override { fs::remove_all(root_); }

  std::string Path(const std::string& name) const { return (root_ / name).string(); }
  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path root_;
};

TEST_F(WholeFile, MakesItsFolders) {
  ASSERT_TRUE(WriteWholeFile(Path("a/b/file"), "content").ok());
  EXPECT_EQ(Read(Path("a/b/file")), "content");
}

TEST_F(WholeFile, TakesThePlaceOfAnOlderOne) {
  ASSERT_TRUE(WriteWholeFile(Path("file"), "an older, longer content").ok());
  ASSERT_TRUE(WriteWholeFile(Path("file"), "new").ok());
  EXPECT_EQ(Read(Path("file")), "new");
}

TEST_F(WholeFile, FailureNamesThePathAndLeavesNothing) {
  fs::create_directories(Path("taken/inside"));
  const absl::Status status = WriteWholeFile(Path("taken"), "content");
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(Path("taken")));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);
}

TEST_F(WholeFile, NoRoomIsResourceExhausted) {
  EXPECT_TRUE(absl::IsResourceExhausted(FileError("cannot write", "x", ENOSPC)));
}

}  // namespace
}  // namespace tidemark
