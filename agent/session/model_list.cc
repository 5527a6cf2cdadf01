#include "agent/session/model_list.h"

#include <algorithm>

#include "common/json/json.h"

namespace tidemark {
namespace {

// What goes on to the coordinator is bounded, whatever the endpoint says.
constexpr size_t kMostModels = 500;
constexpr size_t kLongestId = 256;

}  // namespace

absl::StatusOr<std::vector<ServedModel>> ParseModelList(absl::string_view body) {
  const absl::StatusOr<Json> json = ParseJson(body, "the list of models");
  if (!json.ok()) return json.status();
  const Json* data = json->Find("data");
  if (data == nullptr || !data->IsArray()) {
    return absl::InvalidArgumentError("the list of models has no array \"data\"");
  }
  std::vector<ServedModel> models;
  for (const Json& item : data->Items()) {
    const Json* id = item.Find("id");
    const std::string* name = id == nullptr ? nullptr : id->AsString();
    if (name == nullptr || name->empty() || name->size() > kLongestId) continue;
    if (models.size() == kMostModels) break;
    const bool known = std::any_of(models.begin(), models.end(),
                                   [name](const ServedModel& model) { return model.id == *name; });
    if (known) continue;
    const Json* length = item.Find("max_model_len");
    models.push_back({*name, length == nullptr ? std::nullopt : length->AsUint64()});
  }
  return models;
}

std::string ParseServerVersion(absl::string_view body) {
  const absl::StatusOr<Json> json = ParseJson(body, "version");
  const Json* version = json.ok() ? json->Find("version") : nullptr;
  const std::string* text = version == nullptr ? nullptr : version->AsString();
  return text == nullptr ? "" : text->substr(0, kLongestId);
}

}  // namespace tidemark
