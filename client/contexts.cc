#include "client/contexts.h"

#include <yaml-cpp/yaml.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tidemark {
namespace {

constexpr size_t kLargestFile = size_t{64} << 10;
constexpr char kKeys[] = "coordinator, plaintext, tls_cert, tls_key, tls_ca, token_file";

class ContextsReader {
 public:
  explicit ContextsReader(absl::string_view file_name) : file_name_(file_name) {}

  absl::StatusOr<Contexts> Read(const YAML::Node& top) {
    Contexts read;
    if (!top.IsMap()) return Refuse(top, "want the keys current and contexts");
    absl::Status status = EachKey(top, [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
      if (key == "current") return ReadText(key, value, &read.current);
      if (key == "contexts") return ReadContexts(value, &read.contexts);
      return Refuse(at, absl::StrCat("unknown key \"", key, "\": the keys are current and contexts"));
    });
    if (!status.ok()) return status;
    if (!read.current.empty() && read.contexts.count(read.current) == 0) {
      return Refuse(top["current"],
                    absl::StrCat("current is \"", read.current, "\": want one of the contexts below"));
    }
    return read;
  }

 private:
  absl::Status Refuse(const YAML::Node& node, absl::string_view problem) const {
    const YAML::Mark mark = node.Mark();
    if (mark.is_null()) return absl::InvalidArgumentError(absl::StrCat(file_name_, ": ", problem));
    return absl::InvalidArgumentError(
        absl::StrCat(file_name_, ":", mark.line + 1, ":", mark.column + 1, ": ", problem));
  }

  template <typename Read>
  absl::Status EachKey(const YAML::Node& map, Read read) const {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) return Refuse(entry.first, "a key that is no text");
      const std::string key = entry.first.Scalar();
      if (!seen.insert(key).second) return Refuse(entry.first, absl::StrCat("key \"", key, "\" twice"));
      absl::Status status = read(key, entry.first, entry.second);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadText(const std::string& key, const YAML::Node& value, std::string* text) const {
    if (!value.IsScalar() || value.Scalar().empty()) return Refuse(value, absl::StrCat(key, ": want a text"));
    *text = value.Scalar();
    return absl::OkStatus();
  }

  absl::Status ReadSwitch(const std::string& key, const YAML::Node& value, bool* on) const {
    const std::string text = value.IsScalar() ? value.Scalar() : "";
    *on = text == "true";
    if (*on || text == "false") return absl::OkStatus();
    return Refuse(value, absl::StrCat(key, " is \"", text, "\": want true or false"));
  }

  absl::Status ReadContexts(const YAML::Node& value, std::map<std::string, Context>* contexts) const {
    if (!value.IsMap()) return Refuse(value, "contexts: want a map of names");
    return EachKey(value, [&](const std::string& name, const YAML::Node& at, const YAML::Node& body) {
      if (!body.IsMap()) return Refuse(at, absl::StrCat(name, ": want a map of ", kKeys));
      return ReadContext(name, at, body, &(*contexts)[name]);
    });
  }

  absl::Status ReadContext(const std::string& name, const YAML::Node& at, const YAML::Node& body,
                           Context* context) const {
    Connection& connection = context->connection;
    const std::map<std::string, std::string*> texts = {{"coordinator", &connection.coordinator},
                                                       {"tls_cert", &connection.tls_cert},
                                                       {"tls_key", &connection.tls_key},
                                                       {"tls_ca", &connection.tls_ca},
                                                       {"token_file", &context->token_file}};
    absl::Status status =
        EachKey(body, [&](const std::string& key, const YAML::Node& place, const YAML::Node& value) {
          if (key == "plaintext") return ReadSwitch(key, value, &connection.plaintext);
          const auto text = texts.find(key);
          if (text != texts.end()) return ReadText(key, value, text->second);
          if (key == "token")
            return Refuse(place, "a token does not belong here: write it to a file, and name that as token_file");
          return Refuse(place, absl::StrCat("unknown key \"", key, "\": the keys of a context are ", kKeys));
        });
    if (status.ok() && connection.coordinator.empty()) {
      return Refuse(at, absl::StrCat(name, ": coordinator is missing: want HOST:PORT"));
    }
    return status;
  }

  const absl::string_view file_name_;
};

std::string Absolute(const std::string& path, const std::string& folder, const std::string& home) {
  absl::string_view rest = path;
  if (path.empty() || path[0] == '/') return path;
  if (absl::ConsumePrefix(&rest, "~/") && !home.empty()) return absl::StrCat(home, "/", rest);
  return absl::StrCat(folder, "/", path);
}

}  // namespace

absl::StatusOr<Contexts> ParseContexts(absl::string_view text, absl::string_view file_name) {
  try {
    const YAML::Node top = YAML::Load(std::string(text));
    if (!top.IsDefined() || top.IsNull()) return Contexts();
    return ContextsReader(file_name).Read(top);
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ":", error.mark.line + 1, ":", error.mark.column + 1,
                                                   ": no valid YAML: ", error.msg));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ": no valid YAML: ", error.what()));
  }
}

absl::StatusOr<Contexts> LoadContexts(const std::string& path, const std::string& home) {
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat("there is no file ", path.empty() ? "contexts.yaml" : path));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) return absl::InvalidArgumentError(absl::StrCat("cannot read ", path));
  if (text.size() > kLargestFile) {
    return absl::InvalidArgumentError(absl::StrCat(path, " has more than ", kLargestFile, " bytes"));
  }
  absl::StatusOr<Contexts> contexts = ParseContexts(text, path);
  if (!contexts.ok()) return contexts.status();
  const std::string folder = std::filesystem::path(path).parent_path().string();
  for (auto& [name, context] : contexts->contexts) {
    for (std::string* file_path : {&context.connection.tls_cert, &context.connection.tls_key,
                                   &context.connection.tls_ca, &context.token_file}) {
      *file_path = Absolute(*file_path, folder, home);
    }
  }
  return contexts;
}

std::string ContextsPath(const std::string& xdg_config_home, const std::string& home) {
  if (absl::StartsWith(xdg_config_home, "/")) return xdg_config_home + "/tidemark/contexts.yaml";
  return home.empty() ? "" : home + "/.config/tidemark/contexts.yaml";
}

}  // namespace tidemark
