#include "agent/session/prompt_length_fit.h"

#include <algorithm>
#include <cmath>

#include "agent/workload/prompts.h"

namespace tidemark {
namespace {

constexpr uint32_t kShortest = 16;

// Half of the target, or as many words as cannot make more than the target: the short prompt's
// tokens a word, template and all, are more than a long prompt's.
uint32_t MiddleWords(const PromptLength& shortest, double target) {
  const double most_a_word =
      std::max(1.0, static_cast<double>(shortest.tokens) / std::max(1u, shortest.words));
  const double words = std::min(target / 2, target / most_a_word);
  return std::max(2 * kShortest, WordsForTokens(PromptCalibration{}, words));
}

}  // namespace

uint32_t NextCalibrationWords(const std::vector<PromptLength>& seen, double target) {
  if (seen.empty()) return kShortest;
  if (seen.size() == 1) return MiddleWords(seen[0], target);
  const uint32_t longest = seen.back().words;
  const uint32_t least = longest + std::max(kShortest, longest / 4);
  return std::max(least,
                  WordsForTokens(FitPromptLength(seen).value_or(PromptCalibration{}), target));
}

std::optional<PromptCalibration> FitPromptLength(const std::vector<PromptLength>& points) {
  if (points.size() < 2) return std::nullopt;
  const double n = static_cast<double>(points.size());
  double words = 0, tokens = 0;
  for (const PromptLength& point : points) {
    words += point.words / n;
    tokens += static_cast<double>(point.tokens) / n;
  }
  double square = 0, product = 0;
  for (const PromptLength& point : points) {
    square += (point.words - words) * (point.words - words);
    product += (point.words - words) * (static_cast<double>(point.tokens) - tokens);
  }
  if (square <= 0 || product <= 0) return std::nullopt;
  const double slope = product / square;
  return PromptCalibration{tokens - slope * words, slope};
}

double WorstLengthError(const std::vector<PromptLength>& points, const PromptCalibration& line) {
  double worst = 0;
  for (size_t i = 1; i < points.size(); ++i) {
    const double said = static_cast<double>(points[i].tokens);
    const double expected = line.intercept + line.slope * points[i].words;
    worst = std::max(worst, std::abs(expected - said) / std::max(1.0, said));
  }
  return worst;
}

}  // namespace tidemark
