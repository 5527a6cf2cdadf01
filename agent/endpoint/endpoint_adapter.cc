#include "agent/endpoint/endpoint_adapter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/endpoint/openai_adapter.h"

namespace tidemark {
namespace {

constexpr absl::string_view kSupported = "openai-chat, openai-completions";
constexpr absl::string_view kLater[] = {
    "openai-responses", "openai-embeddings",  "tgi",    "ollama-chat",
    "llamacpp",         "anthropic-messages", "triton", "sagemaker",
    "template"};

}  // namespace

absl::StatusOr<std::unique_ptr<EndpointAdapter>> NewEndpointAdapter(absl::string_view api,
                                                                    RequestTemplate request) {
  if (api == "openai-chat") return NewOpenAiAdapter(OpenAiApi::kChat, std::move(request));
  if (api == "openai-completions") return NewOpenAiAdapter(OpenAiApi::kCompletions, std::move(request));
  for (const absl::string_view later : kLater) {
    if (api == later) {
      return absl::InvalidArgumentError(
          absl::StrCat("api is \"", api, "\": not supported yet; use one of ", kSupported));
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("api is \"", api, "\": use one of ", kSupported));
}

}  // namespace tidemark
