// docs/cluster.md explains sentences that the programs say: each stands in the code, so a reader who searches
// for what he saw finds it.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/lint/source_tree.h"

namespace tidemark::lint {
namespace {

// The product's code with string literals that stand side by side made one, and quotes unescaped.
std::string SaidByTheProduct(const std::vector<SourceFile>& files) {
  std::string said;
  for (const SourceFile& file : files) {
    if (IsProduct(file.path) && HasSuffix(file.path, ".cc")) said += file.uncommented;
  }
  said = std::regex_replace(said, std::regex("\"\\s*\n\\s*\""), "");
  return std::regex_replace(said, std::regex("\\\\\""), "\"");
}

// The parts of what a row's first cell quotes, cut at "…", for rows after `heading`.
std::vector<std::string> QuotedParts(const std::string& page, const std::string& heading) {
  static const std::regex kRow("\n\\| `([^`]+)` \\|"), kGap("\\s*…\\s*");
  const std::string table = page.substr(std::min(page.find(heading), page.size()));
  std::vector<std::string> parts;
  for (std::sregex_iterator row(table.begin(), table.end(), kRow), end; row != end; ++row) {
    const std::string quoted = (*row)[1];
    for (std::sregex_token_iterator part(quoted.begin(), quoted.end(), kGap, -1), last; part != last; ++part) {
      if (part->length() > 0) parts.push_back(part->str());
    }
  }
  return parts;
}

std::vector<std::string> NotSaid(const std::vector<std::string>& parts, const std::string& said) {
  std::vector<std::string> missing;
  for (const std::string& part : parts) {
    if (said.find(part) == std::string::npos) missing.push_back(part);
  }
  return missing;
}

constexpr char kHeading[] = "## When it does not work";

std::string ClusterPage() {
  for (const SourceFile& file : Tree()) {
    if (file.path == "docs/cluster.md") return file.raw;
  }
  return "";
}

TEST(ClusterPage, ExplainsSentencesThatTheProgramsSay) {
  const std::vector<std::string> parts = QuotedParts(ClusterPage(), kHeading);
  EXPECT_GT(parts.size(), 10u);
  EXPECT_EQ(NotSaid(parts, SaidByTheProduct(Tree())), std::vector<std::string>());
}

TEST(ClusterPageLint, SeesASentenceThatNobodySays) {
  const std::string page = "## A\n| `not looked at` | x |\n## B\n\n| `one … two` | x |\n";
  EXPECT_EQ(QuotedParts(page, "## B"), (std::vector<std::string>{"one", "two"}));
  const std::string said = SaidByTheProduct({MakeSourceFile("agent/a.cc", "Say(\"on\"\n    \"e\", \"a \\\"b\\\"\");")});
  EXPECT_EQ(NotSaid({"one", "two", "a \"b\""}, said), std::vector<std::string>{"two"});
}

}  // namespace
}  // namespace tidemark::lint
