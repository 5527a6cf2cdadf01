#ifndef TIDEMARK_AGENT_SESSION_MODEL_LIST_H_
#define TIDEMARK_AGENT_SESSION_MODEL_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark {

// A model that an endpoint says it serves.
struct ServedModel {
  std::string id;
  std::optional<uint64_t> max_model_len;  // tokens of input and output together (vLLM, SGLang)
};

// The answer of /v1/models, in its order, without repeats, empty names and those over 256 bytes; at most 500.
// InvalidArgument when it is not {"data": [{"id": …}, …]}.
absl::StatusOr<std::vector<ServedModel>> ParseModelList(absl::string_view body);

// "version" of a version endpoint's answer, at most 256 bytes; empty when it has none.
std::string ParseServerVersion(absl::string_view body);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_SESSION_MODEL_LIST_H_
