#ifndef TIDEMARK_AGENT_SESSION_PROMPT_LENGTH_FIT_H_
#define TIDEMARK_AGENT_SESSION_PROMPT_LENGTH_FIT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/job/level_task.h"

// How many tokens the endpoint counts for prompts of so many words (docs/metrics.md). Pure.
namespace tidemark {

// One calibration request: what was sent and what the endpoint's usage says of it.
struct PromptLength {
  uint32_t words = 0;
  uint64_t tokens = 0;
};

inline constexpr size_t kCalibrationPrompts = 3;

// The words of the next calibration prompt after `seen`, for prompts of `target` tokens: first a
// short one, then about half of the target, then about all of it by what the first two say. Each is
// longer than the one before, and none far longer than the target, so that they fit where the load
// fits.
uint32_t NextCalibrationWords(const std::vector<PromptLength>& seen, double target);

// tokens = intercept + slope * words by least squares. Nothing when the points have no slope, or a
// negative one: then the endpoint's usage does not count the prompt.
std::optional<PromptCalibration> FitPromptLength(const std::vector<PromptLength>& points);

// The largest relative distance of a point from the line, the first (the shortest) left out: a
// token there is much.
double WorstLengthError(const std::vector<PromptLength>& points, const PromptCalibration& line);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_PROMPT_LENGTH_FIT_H_
