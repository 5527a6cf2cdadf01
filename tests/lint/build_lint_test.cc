// Every source is built: sources are listed by hand, so a forgotten one would never be compiled.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "tests/lint/source_tree.h"

namespace tidemark::lint {
namespace {

bool IsCMake(const std::string& path) {
  return path == "CMakeLists.txt" || HasSuffix(path, "/CMakeLists.txt");
}

std::string WithoutComments(const std::string& text) { return std::regex_replace(text, std::regex("#[^\n]*"), ""); }

// Adds the sources that `pattern`'s first group names, each with `suffix`.
void AddSources(const std::string& folder, const std::string& text, const std::regex& pattern,
                const std::string& suffix, std::set<std::string>& listed) {
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    listed.insert(JoinPath(folder, (*it)[1].str() + suffix));
  }
}

// Paths of the .cc files that the CMakeLists.txt name; tidemark_fuzz(x) is x_fuzz.cc.
std::set<std::string> ListedSources(const std::vector<SourceFile>& files) {
  static const std::regex kSource(R"re((?:^|[\s("])([\w./-]+\.cc)(?![\w.]))re");
  static const std::regex kFuzz(R"re((?:^|\n)tidemark_fuzz\(\s*(\w+))re");
  std::set<std::string> listed;
  for (const SourceFile& file : files) {
    if (!IsCMake(file.path)) continue;
    const std::string text = WithoutComments(file.raw);
    AddSources(FolderOf(file.path), text, kSource, "", listed);
    if (HasPrefix(file.path, "tests/fuzz/")) AddSources(FolderOf(file.path), text, kFuzz, "_fuzz.cc", listed);
  }
  return listed;
}

std::set<std::string> Paths(const std::vector<SourceFile>& files) {
  std::set<std::string> paths;
  for (const SourceFile& file : files) paths.insert(file.path);
  return paths;
}

std::vector<std::string> Orphans(const std::vector<SourceFile>& files) {
  const std::set<std::string> listed = ListedSources(files);
  std::vector<std::string> orphans;
  for (const SourceFile& file : files) {
    if (HasSuffix(file.path, ".cc") && listed.count(file.path) == 0) orphans.push_back(file.path);
  }
  return orphans;
}

std::vector<std::string> Missing(const std::vector<SourceFile>& files) {
  const std::set<std::string> paths = Paths(files);
  std::vector<std::string> missing;
  for (const std::string& source : ListedSources(files)) {
    if (paths.count(source) == 0) missing.push_back(source);
  }
  return missing;
}

// True when a CMakeLists.txt above `folder` names it.
bool IsReached(const std::string& folder, const std::vector<SourceFile>& files) {
  return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
    if (!IsCMake(file.path)) return false;
    const std::string above = FolderOf(file.path), start = above.empty() ? "" : above + "/";
    if (!HasPrefix(folder, start) || folder.size() <= start.size()) return false;
    return std::regex_search(WithoutComments(file.raw), std::regex("[( \\n]" + folder.substr(start.size()) + "[) \\n]"));
  });
}

std::vector<std::string> Unreached(const std::vector<SourceFile>& files) {
  std::vector<std::string> unreached;
  for (const SourceFile& file : files) {
    const std::string folder = FolderOf(file.path);
    if (HasSuffix(file.path, "/CMakeLists.txt") && !IsReached(folder, files)) unreached.push_back(folder);
  }
  return unreached;
}

TEST(Build, EverySourceIsInATarget) { EXPECT_EQ(Orphans(Tree()), std::vector<std::string>()); }
TEST(Build, EverySourceOfATargetExists) { EXPECT_EQ(Missing(Tree()), std::vector<std::string>()); }
TEST(Build, EveryFolderIsReachedFromTheRoot) { EXPECT_EQ(Unreached(Tree()), std::vector<std::string>()); }

std::vector<SourceFile> MadeUpTree(const std::string& root, const std::string& list) {
  return {MakeSourceFile("CMakeLists.txt", root), MakeSourceFile("agent/CMakeLists.txt", list),
          MakeSourceFile("agent/a.cc", "")};
}

TEST(BuildLint, SeesAnOrphan) {
  EXPECT_EQ(Orphans(MadeUpTree("", "tidemark_library(x SOURCES b.cc)")), std::vector<std::string>{"agent/a.cc"});
  EXPECT_EQ(Orphans(MadeUpTree("", "# a.cc is not built")), std::vector<std::string>{"agent/a.cc"});
  EXPECT_TRUE(Orphans(MadeUpTree("", "tidemark_library(x SOURCES a.cc)")).empty());
}

TEST(BuildLint, SeesAMissingSource) {
  EXPECT_EQ(Missing(MadeUpTree("", "tidemark_library(x SOURCES a.cc b.cc)")), std::vector<std::string>{"agent/b.cc"});
}

TEST(BuildLint, SeesAnUnreachedFolder) {
  EXPECT_EQ(Unreached(MadeUpTree("tidemark_subfolders(common)", "")), std::vector<std::string>{"agent"});
  EXPECT_TRUE(Unreached(MadeUpTree("tidemark_subfolders(common agent)", "")).empty());
}

}  // namespace
}  // namespace tidemark::lint
