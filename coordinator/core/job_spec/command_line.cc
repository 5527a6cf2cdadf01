#include "coordinator/core/job_spec/command_line.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/job/secret_header.h"
#include "coordinator/core/job_spec/secrets.h"

namespace tidemark {
namespace {

// "authorization: x" -> "authorization: <not shown>".
std::string WithoutSecretValue(const std::string& header) {
  const size_t colon = header.find(':');
  const bool secret = colon == std::string::npos || IsSecretHeader(header.substr(0, colon));
  return secret ? absl::StrCat(header.substr(0, std::min(colon, header.size())), ": ", kNotShown)
                : header;
}

// A flag whose value may hold a secret, and what may be shown of that.
struct Shower {
  const char* flag;
  std::string (*show)(const std::string& value);
};

const Shower* ShowerOf(absl::string_view flag) {
  static constexpr Shower kShowers[] = {
      {"-H", WithoutSecretValue}, {"--header", WithoutSecretValue}, {"--headers", WithoutSecretValue},
      {"-u", RedactUrl},          {"--url", RedactUrl},             {"--urls", RedactUrl}};
  for (const Shower& shower : kShowers) {
    if (flag == shower.flag) return &shower;
  }
  return nullptr;
}

}  // namespace

std::string WithDashes(const std::string& argument) {
  if (!absl::StartsWith(argument, "--")) return argument;
  std::string dashed = argument;
  const size_t end = std::min(argument.find('='), argument.size());
  std::replace(dashed.begin(), dashed.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
  return dashed;
}

std::vector<std::string> WithoutSecretArguments(const std::vector<std::string>& arguments,
                                                const std::string& key_variable) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& written = arguments[i];
    const std::string argument = WithDashes(written);
    const size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const bool has_value = equals != std::string::npos;
    if (flag == "--api-key") {
      shown.push_back("--api-key-env");
      shown.push_back(key_variable);
      if (!has_value) ++i;
    } else if (const Shower* shower = ShowerOf(flag); shower && (has_value || i + 1 < arguments.size())) {
      shown.push_back(flag);
      shown.push_back(shower->show(has_value ? argument.substr(equals + 1) : arguments[++i]));
    } else if (const Shower* glued = ShowerOf(written.substr(0, 2)); glued && written.size() > 2) {
      shown.push_back(glued->flag);
      shown.push_back(glued->show(written.substr(2)));
    } else {
      shown.push_back(written);
    }
  }
  return shown;
}

}  // namespace tidemark
