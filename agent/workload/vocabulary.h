#ifndef TIDEMARK_AGENT_WORKLOAD_VOCABULARY_H_
#define TIDEMARK_AGENT_WORKLOAD_VOCABULARY_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tidemark {

inline constexpr uint32_t kVocabularyBits = 10;
inline constexpr uint32_t kVocabularySize = 1u << kVocabularyBits;

// The word of `index` modulo the vocabulary's size. All words differ.
absl::string_view VocabularyWord(uint32_t index);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_WORKLOAD_VOCABULARY_H_
