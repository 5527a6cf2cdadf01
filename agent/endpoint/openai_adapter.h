#ifndef TIDEMARK_AGENT_ENDPOINT_OPENAI_ADAPTER_H_
#define TIDEMARK_AGENT_ENDPOINT_OPENAI_ADAPTER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "agent/endpoint/endpoint_adapter.h"

namespace tidemark {

enum class OpenAiApi { kChat, kCompletions };

// openai-chat and openai-completions. The output length goes as `max_tokens` in both: deprecated for chat,
// but vLLM, SGLang, TGI, llama.cpp and OpenAI's non-reasoning models take it, and many know no other.
// Extra inputs with `max_completion_tokens` (or `max_tokens`) replace it. `min_tokens` and `ignore_eos` go
// along when the length is fixed. InvalidArgument names what is wrong with the extra inputs.
absl::StatusOr<std::unique_ptr<EndpointAdapter>> NewOpenAiAdapter(OpenAiApi api,
                                                                  RequestTemplate request);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_ENDPOINT_OPENAI_ADAPTER_H_
