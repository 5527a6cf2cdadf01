// The pages for readers are true to the tree: every file they name is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "tests/lint/source_tree.h"

namespace tidemark::lint {
namespace {

bool Exists(const std::string& path) {
  return std::filesystem::exists(std::filesystem::path(TIDEMARK_SOURCE_DIR) / path);
}

// Paths in back-quotes or link targets of a page that begin with one of our folders or are a page's name.
std::vector<std::string> NamedPaths(const SourceFile& page) {
  static const std::regex kPath(
      R"re([`(]((proto|common|agent|coordinator|client|cli|simulator|tests|docs|cmake|deploy|helm)/)re"
      R"re([\w./-]*|[A-Z]+\.md)[`)#])re");
  std::vector<std::string> paths;
  for (std::sregex_iterator it(page.raw.begin(), page.raw.end(), kPath), end; it != end; ++it) {
    paths.push_back((*it)[1]);
  }
  return paths;
}

std::vector<std::string> DeadPaths(const std::vector<SourceFile>& files) {
  std::vector<std::string> dead;
  for (const SourceFile& file : files) {
    if (!HasSuffix(file.path, ".md")) continue;
    for (const std::string& path : NamedPaths(file)) {
      if (!Exists(path) && !Exists(JoinPath(FolderOf(file.path), path))) dead.push_back(file.path + " names " + path);
    }
  }
  return dead;
}

TEST(Pages, NameOnlyFilesThatExist) { EXPECT_EQ(DeadPaths(Tree()), std::vector<std::string>()); }

TEST(PagesLint, SeesAFileThatIsGone) {
  EXPECT_EQ(DeadPaths({MakeSourceFile("docs/a.md", "see `common/no_such.h`")}).size(), 1u);
  EXPECT_EQ(DeadPaths({MakeSourceFile("docs/a.md", "[b](docs/no_such.md)")}).size(), 1u);
  EXPECT_TRUE(DeadPaths({MakeSourceFile("docs/a.md", "`common/mutex.h`, `and/or`, `agent/core/`")}).empty());
}

}  // namespace
}  // namespace tidemark::lint
