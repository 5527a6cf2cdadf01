#include "agent/workload/prompts.h"

#include <set>
#include <vector>

#include "absl/strings/str_split.h"
#include "agent/workload/vocabulary.h"

namespace tidemark {
namespace {

WorkloadSpec Spec() {
  WorkloadSpec spec;
  spec.input = {100, 20};
  spec.output = {50, 10};
  spec.nonce = "n";
  return spec;
}

std::string Text(const WorkloadSpec& spec, uint32_t level, uint32_t attempt, uint64_t index,
                 uint32_t words) {
  std::string text;
  PromptSource(spec, level, attempt).WriteText(index, words, &text);
  return text;
}

size_t WordsIn(const std::string& text) {
  return std::vector<std::string>(absl::StrSplit(text, ' ', absl::SkipEmpty())).size();
}

TEST(PromptSource, LengthsDependOnSeedAndIndexAlone) {
  WorkloadSpec other = Spec();
  other.nonce = "another";
  for (uint64_t i = 0; i < 100; ++i) {
    const PromptPlan a = PromptSource(Spec(), 0, 1).Plan(i), b = PromptSource(other, 3, 2).Plan(i);
    EXPECT_EQ(a.input_tokens, b.input_tokens);
    EXPECT_EQ(a.output_tokens, b.output_tokens);
  }
  other.seed = 43;
  std::set<uint32_t> first, second;
  for (uint64_t i = 0; i < 100; ++i) {
    first.insert(PromptSource(Spec(), 0, 1).Plan(i).input_tokens);
    second.insert(PromptSource(other, 0, 1).Plan(i).input_tokens);
  }
  EXPECT_NE(first, second);
}

TEST(PromptSource, LengthsFollowTheDistributionAndAreAtLeastOne) {
  WorkloadSpec spec = Spec();
  spec.output = {1, 50};
  const PromptSource source(spec, 0, 1);
  double sum = 0;
  uint32_t least = UINT32_MAX;
  for (uint64_t i = 0; i < 10'000; ++i) {
    const PromptPlan plan = source.Plan(i);
    sum += plan.input_tokens;
    least = std::min(least, plan.output_tokens);
  }
  EXPECT_NEAR(sum / 10'000, 100, 1);
  EXPECT_EQ(least, 1u);
}

TEST(PromptSource, NoDeviationGivesTheMeanItself) {
  WorkloadSpec spec = Spec();
  spec.input = {512, 0};
  spec.output = {128, 0};
  const PromptPlan plan = PromptSource(spec, 0, 1).Plan(9);
  EXPECT_EQ(plan.input_tokens, 512u);
  EXPECT_EQ(plan.output_tokens, 128u);
}

TEST(PromptSource, WordsComeFromTheCalibration) {
  EXPECT_EQ(WordsForTokens({12, 1.25}, 512), 400u);
  EXPECT_EQ(WordsForTokens({12, 1.25}, 5), 1u);
  EXPECT_EQ(WordsForTokens({0, 0}, 7), 7u);
}

TEST(PromptSource, WritesExactlyTheWordsAskedFor) {
  for (const uint32_t words : {1u, 2u, 6u, 7u, 8u, 13u, 512u})
    EXPECT_EQ(WordsIn(Text(Spec(), 0, 1, 5, words)), words);
}

TEST(PromptSource, TheSameRequestHasTheSameText) {
  EXPECT_EQ(Text(Spec(), 1, 1, 77, 40), Text(Spec(), 1, 1, 77, 40));
}

TEST(PromptSource, NoTwoRequestsShareTheirFirstSevenWords) {
  std::set<std::string> starts;
  size_t made = 0;
  for (uint32_t level = 0; level < 3; ++level) {
    for (uint32_t attempt = 1; attempt < 3; ++attempt) {
      for (uint64_t i = 0; i < 2'000; ++i, ++made)
        starts.insert(Text(Spec(), level, attempt, i, 7));
      for (uint64_t i = 0; i < 2'000; ++i, ++made)
        starts.insert(Text(Spec(), level, attempt, i | 1ull << 63, 7));
    }
  }
  WorkloadSpec later = Spec();
  later.nonce = "m";
  for (uint64_t i = 0; i < 2'000; ++i, ++made) starts.insert(Text(later, 0, 1, i, 7));
  EXPECT_EQ(starts.size(), made);
}

TEST(PromptSource, EvenPromptsOfOneWordDiffer) {
  std::set<std::string> texts;
  for (uint64_t i = 0; i < 2'000; ++i) texts.insert(Text(Spec(), 0, 1, i, 1));
  EXPECT_EQ(texts.size(), 2'000u);
}

TEST(Vocabulary, AllWordsDifferAndAreShortAndPlain) {
  std::set<std::string> words;
  for (uint32_t i = 0; i < kVocabularySize; ++i) {
    const std::string word(VocabularyWord(i));
    EXPECT_GE(word.size(), 2u);
    EXPECT_LE(word.size(), 8u);
    EXPECT_EQ(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), std::string::npos) << word;
    words.insert(word);
  }
  EXPECT_EQ(words.size(), kVocabularySize);
}

}  // namespace
}  // namespace tidemark
