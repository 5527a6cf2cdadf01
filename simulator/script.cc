#include "simulator/script.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "simulator/request_json.h"

namespace tidemark {

absl::StatusOr<Script> ReadScriptFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    return absl::NotFoundError(absl::StrCat("script '", path, "': cannot be read (",
                                            std::strerror(errno), "); give a readable case file"));
  }
  absl::StatusOr<Script> script = ParseScript(text.str());
  if (script.ok()) return script;
  return absl::Status(
      script.status().code(),
      absl::StrCat("script '", path, "': ", std::string(script.status().message())));
}

}  // namespace tidemark
