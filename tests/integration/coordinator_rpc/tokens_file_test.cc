#include "coordinator/rpc/tokens_file.h"

#include <cstdio>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/process.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// By sha256sum.
constexpr char kHashOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kHashOfXyz[] = "3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282";

std::string Line(const std::string& name, const std::string& hash) { return name + " " + hash + "\n"; }

std::string Refused(const std::string& text) {
  const auto tokens = ParseTokens(text);
  EXPECT_EQ(tokens.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(tokens.status().message());
}

TEST(Tokens, PassesOverCommentsAndEmptyLines) {
  const auto tokens = ParseTokens("# clients\n\n" + Line("  ci", kHashOfAbc) + "bob\t" + kHashOfXyz + "\r\n");
  ASSERT_TRUE(tokens.ok()) << tokens.status().ToString();
  EXPECT_THAT(*tokens, SizeIs(2));
}

TEST(Tokens, NamesTheLineAndNeverRepeatsIt) {
  for (const std::string bad : {"just-a-token", "ci s3cret", "ci abc def", "ci zz7816bf8f01cfea414140de5dae2223b00361a39"}) {
    EXPECT_THAT(Refused(Line("a", kHashOfAbc) + bad + "\n"),
                AllOf(HasSubstr("line 2"), HasSubstr("sha256sum"), Not(HasSubstr(bad)), Not(HasSubstr("s3cret"))));
  }
}

TEST(Tokens, RefusesANameTwice) {
  EXPECT_THAT(Refused(Line("ci", kHashOfAbc) + Line("ci", kHashOfXyz)), HasSubstr("\"ci\" is there twice"));
}

TEST(Tokens, RefusesAFileWithoutAny) { EXPECT_THAT(Refused("# none yet\n"), HasSubstr("no token")); }

TEST(TokensFile, NamesTheOwnerOfAToken) {
  const testing::TemporaryFolder folder;
  const auto file = TokensFile::Open(folder.Write("tokens", Line("ci", kHashOfAbc) + Line("bob", kHashOfXyz)));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->NameOf("abc"), "ci");
  EXPECT_EQ((*file)->NameOf("xyz"), "bob");
  EXPECT_EQ((*file)->NameOf("abcd"), "");
  EXPECT_EQ((*file)->NameOf(""), "");
  EXPECT_EQ((*file)->NameOf(kHashOfAbc), "");
}

TEST(TokensFile, NamesAFileThatIsNotThere) {
  EXPECT_THAT(TokensFile::Open("/nowhere/tokens").status().message(),
              AllOf(HasSubstr("--tokens-file /nowhere/tokens"), HasSubstr("No such file")));
}

TEST(TokensFile, ReadsAChangedFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.Write("tokens", Line("ci", kHashOfAbc));
  const auto file = TokensFile::Open(path);
  ASSERT_TRUE(file.ok());
  std::rename(folder.Write("new", Line("ci", kHashOfXyz)).c_str(), path.c_str());
  EXPECT_EQ((*file)->NameOf("abc"), "");
  EXPECT_EQ((*file)->NameOf("xyz"), "ci");
}

TEST(TokensFile, KeepsItsTokensWhenAChangeCannotBeRead) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.Write("tokens", Line("ci", kHashOfAbc));
  const auto file = TokensFile::Open(path);
  ASSERT_TRUE(file.ok());
  folder.Write("tokens", "half a li");
  EXPECT_EQ((*file)->NameOf("abc"), "ci");
  std::remove(path.c_str());
  EXPECT_EQ((*file)->NameOf("abc"), "ci");
}

}  // namespace
}  // namespace tidemark
