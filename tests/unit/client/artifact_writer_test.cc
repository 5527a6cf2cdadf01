#include "client/artifact_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/process.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::TemporaryFolder;

v1::ArtifactChunk Chunk(const std::string& path, uint64_t offset, const std::string& data, bool last) {
  v1::ArtifactChunk chunk;
  chunk.set_path(path);
  chunk.set_offset(offset);
  chunk.set_data(data);
  chunk.set_last(last);
  return chunk;
}

TEST(ArtifactPath, OrdinaryOnesAreFine) {
  for (const char* path : {"result.json", "concurrency_16/profile_export.jsonl", "a b/Ergebnis-ü.csv", "a..b"}) {
    EXPECT_TRUE(CheckArtifactPath(path).ok()) << path;
  }
}

TEST(ArtifactPath, NoneMayLeadOutOfTheFolder) {
  for (const std::string path : {"", "/etc/passwd", "..", "../a", "a/../b", "a/..", "./a", "a//b", "a/", ".hidden",
                                 "a/.ssh/b", "a\\b", "c:d", "a\nb", "\x1b[2J"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(CheckArtifactPath(path))) << path;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(CheckArtifactPath(std::string("a\0b", 3))));
}

TEST(ArtifactPath, LengthAndDepthAreBounded) {
  EXPECT_FALSE(CheckArtifactPath(std::string(600, 'a')).ok());
  EXPECT_FALSE(CheckArtifactPath("a/a/a/a/a/a/a/a/a").ok());
}

TEST(ArtifactPath, ARefusalShowsNoControlCharacters) {
  EXPECT_THAT(std::string(CheckArtifactPath("\x1b[2J").message()), HasSubstr("\\x1b"));
}

TEST(ArtifactWriter, PutsChunksTogether) {
  const TemporaryFolder folder;
  ArtifactWriter writer(folder.File("out"));
  ASSERT_TRUE(writer.Write(Chunk("levels/a.csv", 0, "ab", false)).ok());
  ASSERT_TRUE(writer.Write(Chunk("levels/a.csv", 2, "c", true)).ok());
  ASSERT_TRUE(writer.Write(Chunk("empty", 0, "", true)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(ReadFile(folder.File("out/levels/a.csv")), "abc");
  EXPECT_TRUE(std::filesystem::exists(folder.File("out/empty")));
  EXPECT_THAT(writer.paths(), ElementsAre("levels/a.csv", "empty"));
}

TEST(ArtifactWriter, ReplacesAFileOnlyWithAWholeOne) {
  const TemporaryFolder folder;
  folder.Write("a", "old");
  {
    ArtifactWriter writer(folder.path());
    ASSERT_TRUE(writer.Write(Chunk("a", 0, "new", false)).ok());
    EXPECT_TRUE(absl::IsDataLoss(writer.Finish()));
  }
  EXPECT_EQ(ReadFile(folder.File("a")), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "a temporary file is left";
}

TEST(ArtifactWriter, RefusesChunksThatDoNotFollow) {
  const TemporaryFolder folder;
  ArtifactWriter writer(folder.path());
  ASSERT_TRUE(writer.Write(Chunk("a", 0, "abc", false)).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(writer.Write(Chunk("a", 2, "d", true))));
  EXPECT_TRUE(absl::IsInvalidArgument(writer.Write(Chunk("b", 0, "d", true))));
  EXPECT_TRUE(absl::IsInvalidArgument(writer.Write(Chunk("a", 3, "", false))));
}

TEST(ArtifactWriter, RefusesAChunkAboveAMebibyte) {
  const TemporaryFolder folder;
  ArtifactWriter writer(folder.path());
  EXPECT_TRUE(absl::IsInvalidArgument(writer.Write(Chunk("a", 0, std::string((1 << 20) + 1, 'a'), true))));
}

TEST(ArtifactWriter, RefusesAFileThatComesTwice) {
  const TemporaryFolder folder;
  ArtifactWriter writer(folder.path());
  ASSERT_TRUE(writer.Write(Chunk("a", 0, "x", true)).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(writer.Write(Chunk("a", 0, "y", true))));
  EXPECT_EQ(ReadFile(folder.File("a")), "x");
}

TEST(ArtifactWriter, RefusesMoreFilesOrBytesThanItsLimits) {
  const TemporaryFolder folder;
  ArtifactLimits limits;
  limits.files = 1;
  limits.bytes = 3;
  ArtifactWriter writer(folder.path(), limits);
  ASSERT_TRUE(writer.Write(Chunk("a", 0, "x", true)).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(writer.Write(Chunk("b", 0, "y", true))));
  ArtifactWriter other(folder.path(), limits);
  ASSERT_TRUE(other.Write(Chunk("a", 0, "xyz", false)).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(other.Write(Chunk("a", 3, "!", true))));
}

TEST(ArtifactWriter, DoesNotWriteThroughALink) {
  const TemporaryFolder outside, folder;
  outside.Write("target", "kept");
  std::filesystem::create_symlink(outside.File("target"), folder.File("a"));
  ArtifactWriter writer(folder.path());
  ASSERT_TRUE(writer.Write(Chunk("a", 0, "new", true)).ok());
  EXPECT_EQ(ReadFile(outside.File("target")), "kept");
  EXPECT_EQ(ReadFile(folder.File("a")), "new");
}

}  // namespace
}  // namespace tidemark
