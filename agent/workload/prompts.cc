#include "agent/workload/prompts.h"

#include <algorithm>
#include <cmath>

#include "agent/workload/vocabulary.h"
#include "common/rng/rng.h"

namespace tidemark {
namespace {

constexpr uint32_t kKeyWords = (64 + kVocabularyBits - 1) / kVocabularyBits;
constexpr double kMaxTokens = 10'000'000;  // beyond any model; keeps the conversion defined

uint32_t DrawLength(const LengthDistribution& length, Rng& rng) {
  double tokens = length.mean;
  if (length.stddev > 0) tokens += length.stddev * rng.Normal();
  return static_cast<uint32_t>(std::clamp(std::floor(tokens + 0.5), 1.0, kMaxTokens));
}

void AppendHex(uint64_t value, std::string* text) {
  for (int shift = 60; shift >= 0; shift -= 4)
    text->push_back("0123456789abcdef"[(value >> shift) & 15]);
}

void AppendWord(uint64_t bits, std::string* text) {
  const absl::string_view word =
      VocabularyWord(static_cast<uint32_t>(bits & (kVocabularySize - 1)));
  text->append(word.data(), word.size());
}

// Words drawn six at a time from one random number.
void AppendRandomWords(uint32_t words, Rng& rng, std::string* text) {
  constexpr uint32_t kPerNumber = 64 / kVocabularyBits;
  uint64_t bits = 0;
  for (uint32_t i = 0; i < words; ++i) {
    bits = i % kPerNumber == 0 ? rng.Next() : bits >> kVocabularyBits;
    text->push_back(' ');
    AppendWord(bits, text);
  }
}

}  // namespace

uint32_t WordsForTokens(const PromptCalibration& calibration, double tokens) {
  const double slope = calibration.slope > 0 ? calibration.slope : 1;
  const double words = (tokens - calibration.intercept) / slope;
  return static_cast<uint32_t>(std::clamp(std::floor(words + 0.5), 1.0, kMaxTokens));
}

PromptSource::PromptSource(const WorkloadSpec& workload, uint32_t level, uint32_t attempt)
    : input_(workload.input),
      output_(workload.output),
      calibration_(workload.calibration),
      length_seed_(CombineSeeds({workload.seed, 1})),
      text_seed_(CombineSeeds({workload.seed, 2, SeedFromText(workload.nonce), level, attempt})) {}

PromptPlan PromptSource::Plan(uint64_t index) const {
  Rng rng(CombineSeeds({length_seed_, index}));
  PromptPlan plan;
  plan.input_tokens = DrawLength(input_, rng);
  plan.output_tokens = DrawLength(output_, rng);
  plan.words = WordsForTokens(calibration_, plan.input_tokens);
  return plan;
}

void PromptSource::WriteText(uint64_t index, uint32_t words, std::string* text) const {
  // Adding the mixed index keeps keys of one level apart with certainty: both steps are bijections.
  const uint64_t key = MixBits(text_seed_ + MixBits(index));
  Rng rng(key);
  text->clear();
  if (words < kKeyWords) {
    AppendHex(key, text);
    AppendRandomWords(words - std::min(words, 1u), rng, text);
    return;
  }
  for (uint32_t i = 0; i < kKeyWords; ++i) {
    if (i > 0) text->push_back(' ');
    AppendWord(key >> (i * kVocabularyBits), text);
  }
  AppendRandomWords(words - kKeyWords, rng, text);
}

}  // namespace tidemark
