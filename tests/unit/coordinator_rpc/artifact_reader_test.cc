#include "coordinator/rpc/artifact_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;

struct Download {
  std::vector<std::string> order;
  std::map<std::string, std::string> files;
  size_t chunks = 0, largest = 0;
  absl::Status status;
};

Download ReadAll(const std::string& folder, bool without_records = false) {
  Download download;
  absl::StatusOr<ArtifactReader> reader = ArtifactReader::Open(folder, without_records);
  download.status = reader.status();
  while (download.status.ok()) {
    v1::ArtifactChunk chunk;
    const absl::StatusOr<bool> more = reader->Next(&chunk);
    download.status = more.status();
    if (!more.ok() || !*more) break;
    std::string& file = download.files[chunk.path()];
    EXPECT_EQ(chunk.offset(), file.size());
    file += chunk.data();
    if (chunk.last()) download.order.push_back(chunk.path());
    ++download.chunks;
    download.largest = std::max(download.largest, chunk.data().size());
  }
  return download;
}

TEST(ArtifactReader, GivesAllFilesByTheirPaths) {
  const TemporaryFolder folder;
  folder.Write("result.json", "{}");
  std::filesystem::create_directory(folder.File("concurrency_8"));
  folder.Write("concurrency_8/profile_export.jsonl", "records");
  folder.Write("empty.csv", "");
  const Download download = ReadAll(folder.path());
  ASSERT_TRUE(download.status.ok()) << download.status;
  EXPECT_THAT(download.order, ElementsAre("concurrency_8/profile_export.jsonl", "empty.csv", "result.json"));
  EXPECT_EQ(download.files.at("concurrency_8/profile_export.jsonl"), "records");
  EXPECT_EQ(download.files.at("empty.csv"), "");
}

TEST(ArtifactReader, LeavesRecordsOutWhenAsked) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.File("concurrency_8"));
  folder.Write("concurrency_8/profile_export.jsonl", "records");
  folder.Write("concurrency_8/profile_export_aiperf.json", "{}");
  EXPECT_THAT(ReadAll(folder.path(), true).order, ElementsAre("concurrency_8/profile_export_aiperf.json"));
}

TEST(ArtifactReader, CutsAFileIntoChunksOfAMebibyte) {
  const TemporaryFolder folder;
  std::string content(2 * kArtifactChunkBytes + 5, 'a');
  content.back() = 'z';
  folder.Write("large", content);
  const Download download = ReadAll(folder.path());
  EXPECT_EQ(download.chunks, 3u);
  EXPECT_EQ(download.largest, kArtifactChunkBytes);
  EXPECT_TRUE(download.files.at("large") == content);
}

TEST(ArtifactReader, FollowsNoLink) {
  const TemporaryFolder outside, folder;
  outside.Write("secret", "s");
  std::filesystem::create_symlink(outside.File("secret"), folder.File("link"));
  std::filesystem::create_directory_symlink(outside.path(), folder.File("folder_link"));
  folder.Write("result.json", "{}");
  EXPECT_THAT(ReadAll(folder.path()).order, ElementsAre("result.json"));
}

TEST(ArtifactReader, PassesOverPipesTemporaryAndHiddenFiles) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.File("pipe").c_str(), 0600), 0);
  folder.Write("result.json.tmp.123", "half");
  folder.Write(".hidden", "h");
  folder.Write("a.tmp.csv", "a file of this name is nobody's leftover");
  EXPECT_THAT(ReadAll(folder.path()).order, ElementsAre("a.tmp.csv"));
}

TEST(ArtifactReader, RefusesAFileThatBecameALink) {
  const TemporaryFolder folder;
  folder.Write("a", "1");
  folder.Write("b", "2");
  absl::StatusOr<ArtifactReader> reader = ArtifactReader::Open(folder.path(), false);
  ASSERT_TRUE(reader.ok());
  std::filesystem::remove(folder.File("a"));
  std::filesystem::create_symlink(folder.File("b"), folder.File("a"));
  v1::ArtifactChunk chunk;
  EXPECT_TRUE(absl::IsInternal(reader->Next(&chunk).status()));
}

TEST(ArtifactReader, AFileThatBecameShorterIsDataLoss) {
  const TemporaryFolder folder;
  folder.Write("large", std::string(kArtifactChunkBytes + 10, 'a'));
  absl::StatusOr<ArtifactReader> reader = ArtifactReader::Open(folder.path(), false);
  ASSERT_TRUE(reader.ok());
  v1::ArtifactChunk chunk;
  ASSERT_TRUE(reader->Next(&chunk).ok());
  std::filesystem::resize_file(folder.File("large"), kArtifactChunkBytes + 3);
  EXPECT_TRUE(absl::IsDataLoss(reader->Next(&chunk).status()));
}

TEST(ArtifactReader, AFolderThatIsGoneIsNotFound) {
  const TemporaryFolder folder;
  EXPECT_TRUE(absl::IsNotFound(ReadAll(folder.File("gone")).status));
}

}  // namespace
}  // namespace tidemark
