#include "coordinator/core/job_spec/endpoint_settings.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/settings/said_text.h"
#include "common/url/url.h"

namespace tidemark {
namespace {

struct ApiPath {
  absl::string_view api;
  absl::string_view path;
};
constexpr ApiPath kApis[] = {{"openai-chat", "/v1/chat/completions"},
                             {"openai-completions", "/v1/completions"}};
constexpr absl::string_view kLaterApis[] = {
    "openai-responses", "openai-embeddings",  "tgi",    "ollama-chat", "llamacpp",
    "anthropic-messages", "triton", "sagemaker", "template"};

// Null when it is not supported.
const ApiPath* FindApi(absl::string_view name) {
  for (const ApiPath& known : kApis) {
    if (known.api == name) return &known;
  }
  return nullptr;
}

bool IsLaterApi(absl::string_view name) {
  return std::find(std::begin(kLaterApis), std::end(kLaterApis), name) != std::end(kLaterApis);
}

void ReadApi(SettingReader& reader, EndpointSpec& endpoint) {
  const std::optional<std::string> api = reader.Text("api");
  if (!api) return;
  // AIPerf's --endpoint-type says chat and completions.
  const std::string name = *api == "chat" || *api == "completions" ? "openai-" + *api : *api;
  if (FindApi(name) != nullptr) {
    endpoint.api = name;
    return;
  }
  if (IsLaterApi(name)) {
    reader.Refuse("api", *api, "not supported yet: want openai-chat or openai-completions");
    return;
  }
  std::vector<std::string> names = {"chat", "completions"};
  for (const ApiPath& known : kApis) names.emplace_back(known.api);
  const std::string nearest = NearestName(name, names);
  reader.Refuse("api", *api,
                absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean ", nearest, "? "),
                             "want openai-chat or openai-completions (not supported yet: ",
                             absl::StrJoin(kLaterApis, ", "), ")"));
}

void ReadUrls(SettingReader& reader, EndpointSpec& endpoint) {
  for (const std::string& text : reader.TextList("url")) {
    const absl::StatusOr<std::string> url =
        ResolveEndpointUrl(std::string(absl::StripAsciiWhitespace(text)), endpoint.api);
    if (!url.ok()) {
      reader.Note(RefuseSetting(*reader.Find("url"), url.status().message()));
      return;
    }
    if (std::find(endpoint.urls.begin(), endpoint.urls.end(), *url) == endpoint.urls.end()) {
      endpoint.urls.push_back(*url);
    }
  }
}

// RFC 9110's token.
bool IsHeaderName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           absl::string_view("!#$%&'*+-.^_`|~").find(c) != absl::string_view::npos;
  });
}

bool HasControl(absl::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return c != '\t' && absl::ascii_iscntrl(static_cast<unsigned char>(c));
  });
}

// What is wrong with a header, without its value; empty when nothing is.
std::string HeaderProblem(absl::string_view name, absl::string_view value) {
  if (!IsHeaderName(name)) {
    return absl::StrCat("\"", Printable(name), "\" is no header name: want letters, digits and -");
  }
  if (HasControl(value)) {
    return absl::StrCat("the value of ", name, " has a line end or another control character");
  }
  for (absl::string_view own : {"Content-Length", "Transfer-Encoding", "Connection", "Expect"}) {
    if (absl::EqualsIgnoreCase(own, name)) return absl::StrCat(own, " is set by the request itself");
  }
  return "";
}

void ReadHeaders(SettingReader& reader, EndpointSpec& endpoint) {
  const RawSetting* setting = reader.Find("header");
  if (setting == nullptr) return;
  for (const auto& [name, value] : setting->pairs) {
    const std::string problem = HeaderProblem(name, value);
    if (!problem.empty()) {
      reader.Note(RefuseSetting(*setting, problem));
      return;
    }
    if (absl::EqualsIgnoreCase(name, "Authorization") &&
        (reader.Has("api_key_env") || reader.Has("api_key"))) {
      reader.Note(RefuseSetting(*setting, "Authorization is set by the API key too: give one"));
      return;
    }
    endpoint.headers.emplace_back(name, value);
  }
}

bool IsVariableName(absl::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
         });
}

void ReadKey(SettingReader& reader, EndpointSpec& endpoint) {
  const std::optional<std::string> variable = reader.Text("api_key_env");
  if (!variable) return;
  const RawSetting* key = reader.Find("api_key");
  if (key != nullptr && key->shown_name == FlagName("api_key")) {
    reader.Note(RefuseSetting(*key, "api_key_env is given too: give one"));
  } else if (!IsVariableName(*variable)) {
    // The text may be the key itself, put here by mistake: it is not repeated.
    reader.Note(RefuseSetting(*reader.Find("api_key_env"),
                              "want the name of an environment variable (letters, digits, _), not "
                              "the key itself"));
  } else {
    endpoint.api_key_env = *variable;
  }
}

}  // namespace

absl::StatusOr<std::string> ResolveEndpointUrl(absl::string_view given, absl::string_view api) {
  const absl::StatusOr<ResolvedUrl> resolved = ResolveUrl(given, FindApi(api)->path);
  if (!resolved.ok()) return resolved.status();
  return resolved->url;
}

EndpointSpec ReadEndpoint(SettingReader& reader) {
  EndpointSpec endpoint;
  ReadApi(reader, endpoint);
  ReadUrls(reader, endpoint);
  endpoint.model = reader.Text("model").value_or("");
  if (HasControl(endpoint.model)) {
    reader.Refuse("model", endpoint.model, "want a name without control characters");
  }
  ReadHeaders(reader, endpoint);
  ReadKey(reader, endpoint);
  endpoint.insecure_skip_verify = reader.Switch("insecure").value_or(false);
  endpoint.ca_cert = reader.Text("ca_cert").value_or("");
  return endpoint;
}

}  // namespace tidemark
