#ifndef TIDEMARK_TESTS_LINT_SOURCE_TREE_H_
#define TIDEMARK_TESTS_LINT_SOURCE_TREE_H_

#include <string>
#include <vector>

namespace tidemark::lint {

// One file of the tree. The three texts have the same lines.
struct SourceFile {
  std::string path;        // relative to the root, '/' between folders
  std::string raw;         // as it is
  std::string uncommented; // C++ only, else raw: comments are blank
  std::string code;        // C++ only, else raw: comments and the insides of literals are blank
};

SourceFile MakeSourceFile(std::string path, std::string raw);

// C++, proto, CMake, Markdown, scripts and the like of the project's own folders, by path. Read once;
// build folders and golden files are left out.
const std::vector<SourceFile>& Tree();

bool HasSuffix(const std::string& text, const std::string& suffix);
bool HasPrefix(const std::string& text, const std::string& prefix);
bool IsCpp(const std::string& path);     // .cc or .h
bool IsProduct(const std::string& path); // in a folder whose code is shipped

std::vector<std::string> Lines(const std::string& text);

// The path of a file in `folder` that a CMakeLists.txt names as `name` ("." and ".." resolved).
std::string JoinPath(const std::string& folder, const std::string& name);
std::string FolderOf(const std::string& path);  // empty for the root

}  // namespace tidemark::lint

#endif  // TIDEMARK_TESTS_LINT_SOURCE_TREE_H_
