#include "agent/exporter/process_facts.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tidemark {
namespace {

TEST(ProcessFacts, ReadsResidentPages) {
  EXPECT_EQ(ParseResidentPages("14560 3021 1200 10 0 2000 0\n"), 3021u);
  EXPECT_EQ(ParseResidentPages(""), 0u);
  EXPECT_EQ(ParseResidentPages("14560"), 0u);
}

TEST(ProcessFacts, AreThoseOfThisProcess) {
  const ProcessFacts facts = ReadProcessFacts();
  EXPECT_GT(facts.cpu_seconds, 0);
  EXPECT_GT(facts.resident_bytes, 1u << 20);
}

TEST(BytesOfFiles, AddsTheFilesOfTheFolderAlone) {
  std::string folder = ::testing::TempDir() + "spool_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  EXPECT_EQ(BytesOfFiles(folder), 0u);
  std::ofstream(folder + "/a.jsonl") << "12345";
  std::ofstream(folder + "/b.jsonl") << "1234567";
  std::filesystem::create_directory(folder + "/below");
  std::ofstream(folder + "/below/c.jsonl") << "not counted";
  EXPECT_EQ(BytesOfFiles(folder), 12u);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(BytesOfFiles(folder), 0u) << "it is not there any more";
}

}  // namespace
}  // namespace tidemark
