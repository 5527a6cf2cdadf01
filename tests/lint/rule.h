#ifndef TIDEMARK_TESTS_LINT_RULE_H_
#define TIDEMARK_TESTS_LINT_RULE_H_

#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "tests/lint/source_tree.h"

namespace tidemark::lint {

enum class View { kRaw, kUncommented, kCode };

// A place where a rule's pattern may stand, and why.
struct Door {
  std::string prefix;  // of the path
  std::string why;
};

// Something that may stand in few places or nowhere.
struct Rule {
  std::string name;
  View view = View::kCode;
  std::string pattern;  // ECMAScript; matched line by line
  std::function<bool(const std::string& path)> looks_at;
  std::vector<Door> doors;
  std::string cure;
};

// "path:line: text (cure)" of each line that breaks the rule.
std::vector<std::string> Violations(const Rule& rule, const std::vector<SourceFile>& files);

// True when the rule refuses `line` in a file at `path`.
bool Refuses(const Rule& rule, const std::string& path, const std::string& line);

// Predicates for looks_at.
bool ProductCpp(const std::string& path);
bool AnyCpp(const std::string& path);

}  // namespace tidemark::lint

#endif  // TIDEMARK_TESTS_LINT_RULE_H_
