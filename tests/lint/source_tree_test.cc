#include "tests/lint/source_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tidemark::lint {
namespace {

std::string CodeOf(const std::string& text) { return MakeSourceFile("a.cc", text).code; }

TEST(SourceTree, HasTheProductAndTheTests) {
  EXPECT_GT(Tree().size(), 200u);
  for (const char* path : {"common/clock/real_clock.cc", "tests/lint/source_tree_test.cc", "CMakeLists.txt", "dev"}) {
    EXPECT_TRUE(std::any_of(Tree().begin(), Tree().end(), [&](const SourceFile& f) { return f.path == path; })) << path;
  }
}

TEST(SourceTree, BlanksCommentsAndKeepsLines) { EXPECT_EQ(CodeOf("a; // b\n/* c\nd */e"), "a;     \n    \n    e"); }
TEST(SourceTree, BlanksLiterals) { EXPECT_EQ(CodeOf("f(\"a\\\"b // c\", 'd')"), "f(           ,    )"); }
TEST(SourceTree, BlanksRawStrings) { EXPECT_EQ(CodeOf("R\"x(a\")\")x\";b"), "           ;b"); }
TEST(SourceTree, ADigitSeparatorIsNoLiteral) { EXPECT_EQ(CodeOf("1'000 - a"), "1'000 - a"); }
TEST(SourceTree, KeepsLiteralsWhereOnlyCommentsGo) {
  EXPECT_EQ(MakeSourceFile("a.cc", "\"x\" // y").uncommented, "\"x\"     ");
}
TEST(SourceTree, LeavesOtherFilesAlone) { EXPECT_EQ(MakeSourceFile("a.md", "a // b").code, "a // b"); }

}  // namespace
}  // namespace tidemark::lint
