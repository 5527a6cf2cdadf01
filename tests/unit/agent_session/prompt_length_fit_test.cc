#include "agent/session/prompt_length_fit.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

// What an endpoint with `a` template tokens and `b` tokens a word would say.
std::vector<PromptLength> AskedOf(double a, double b, double target) {
  std::vector<PromptLength> points;
  while (points.size() < kCalibrationPrompts) {
    const uint32_t words = NextCalibrationWords(points, target);
    points.push_back({words, static_cast<uint64_t>(a + b * words)});
  }
  return points;
}

TEST(PromptLengthFit, RecoversTemplateAndTokensAWord) {
  const auto line = FitPromptLength(AskedOf(11, 2, 512));
  ASSERT_TRUE(line.has_value());
  EXPECT_NEAR(line->intercept, 11, 1e-9);
  EXPECT_NEAR(line->slope, 2, 1e-9);
}

TEST(PromptLengthFit, AsksForAShortAMiddleAndAFullPrompt) {
  const std::vector<PromptLength> points = AskedOf(7, 1, 1000);
  EXPECT_EQ(points[0].words, 16u);
  EXPECT_EQ(points[1].words, 500u);
  EXPECT_EQ(points[2].words, 993u);
}

TEST(PromptLengthFit, StaysWithinTheTargetWhereWordsAreManyTokens) {
  for (const PromptLength& point : AskedOf(40, 3.5, 2000))
    EXPECT_LE(point.tokens, 2000u) << point.words;
}

TEST(PromptLengthFit, AsksForGrowingPromptsHoweverSmallTheTarget) {
  const std::vector<PromptLength> points = AskedOf(7, 1, 1);
  EXPECT_LT(points[0].words, points[1].words);
  EXPECT_LT(points[1].words, points[2].words);
}

TEST(PromptLengthFit, FindsNoLineWhereTokensDoNotGrow) {
  EXPECT_FALSE(FitPromptLength({{16, 5}, {32, 5}, {64, 5}}).has_value());
  EXPECT_FALSE(FitPromptLength({{16, 9}, {32, 5}, {64, 1}}).has_value());
  EXPECT_FALSE(FitPromptLength({{16, 9}}).has_value());
}

TEST(PromptLengthFit, SeesALimitThatCutsThePrompt) {
  const std::vector<PromptLength> points = {{16, 23}, {256, 263}, {505, 300}};
  EXPECT_GT(WorstLengthError(points, *FitPromptLength(points)), 0.02);
}

TEST(PromptLengthFit, ForgivesRounding) {
  const std::vector<PromptLength> points = {{16, 24}, {256, 262}, {505, 513}};
  EXPECT_LT(WorstLengthError(points, *FitPromptLength(points)), 0.02);
}

}  // namespace
}  // namespace tidemark
