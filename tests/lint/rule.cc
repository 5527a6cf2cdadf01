#include "tests/lint/rule.h"

#include <algorithm>

namespace tidemark::lint {
namespace {

const std::string& TextOf(const SourceFile& file, View view) {
  if (view == View::kRaw) return file.raw;
  return view == View::kUncommented ? file.uncommented : file.code;
}

bool IsDoor(const Rule& rule, const std::string& path) {
  return std::any_of(rule.doors.begin(), rule.doors.end(),
                     [&](const Door& door) { return HasPrefix(path, door.prefix); });
}

}  // namespace

std::vector<std::string> Violations(const Rule& rule, const std::vector<SourceFile>& files) {
  const std::regex pattern(rule.pattern, std::regex::ECMAScript | std::regex::optimize);
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    if (!rule.looks_at(file.path) || IsDoor(rule, file.path)) continue;
    const std::vector<std::string> lines = Lines(TextOf(file, rule.view));
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!std::regex_search(lines[i], pattern)) continue;
      found.push_back(file.path + ":" + std::to_string(i + 1) + ": " + lines[i] + "  (" + rule.cure + ")");
    }
  }
  return found;
}

bool Refuses(const Rule& rule, const std::string& path, const std::string& line) {
  return !Violations(rule, {MakeSourceFile(path, line)}).empty();
}

bool ProductCpp(const std::string& path) { return IsCpp(path) && IsProduct(path); }
bool AnyCpp(const std::string& path) { return IsCpp(path); }

}  // namespace tidemark::lint
