#ifndef TIDEMARK_AGENT_WORKLOAD_PROMPTS_H_
#define TIDEMARK_AGENT_WORKLOAD_PROMPTS_H_

#include <cstdint>
#include <string>

#include "common/job/level_task.h"

namespace tidemark {

// What request `index` asks for.
struct PromptPlan {
  uint32_t input_tokens = 1;   // planned length of the prompt, template included
  uint32_t output_tokens = 1;  // asked length of the answer
  uint32_t words = 1;          // words that should make input_tokens, by the calibration
};

// Words that make `tokens` by the calibration; at least 1.
uint32_t WordsForTokens(const PromptCalibration& calibration, double tokens);

// Request i of a level, made from nothing but numbers. Lengths come from the seed and the index
// alone, so every level and every later job asks for the same ones. The text comes from the nonce,
// the level and the attempt too, so no prompt is ever sent twice and no prefix cache can help: its
// first words spell a 64-bit key (as one hexadecimal word where the prompt is too short for that).
// Thread-compatible; const calls are safe together.
class PromptSource {
 public:
  PromptSource(const WorkloadSpec& workload, uint32_t level, uint32_t attempt);

  PromptPlan Plan(uint64_t index) const;

  // Writes exactly `words` words, separated by blanks, into `text` (old content dropped, capacity
  // kept).
  void WriteText(uint64_t index, uint32_t words, std::string* text) const;

 private:
  LengthDistribution input_, output_;
  PromptCalibration calibration_;
  uint64_t length_seed_, text_seed_;
};

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_WORKLOAD_PROMPTS_H_
