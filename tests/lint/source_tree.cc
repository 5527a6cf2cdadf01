#include "tests/lint/source_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tidemark::lint {
namespace {

namespace fs = std::filesystem;

// Folders whose code is shipped, and the other folders and root files that the rules look at.
constexpr std::array kProductFolders = {"proto", "common", "agent", "coordinator", "client", "cli", "simulator"};
constexpr std::array kOtherFolders = {"tests", "cmake", "docs", "deploy", "helm", ".ci"};
constexpr std::array kRootFiles = {"CMakeLists.txt", "dev", "README.md", "ARCHITECTURE.md"};
constexpr std::array kSuffixes = {".cc", ".h",  ".proto", ".cmake", ".md",   ".sh",  ".py",
                                  ".js", ".css", ".yaml",  ".yml",   "/CMakeLists.txt", "/run"};

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool IsGolden(const std::string& path) { return path.find("/expected/") != std::string::npos; }

bool IsWanted(const std::string& path) {
  return !IsGolden(path) && std::any_of(kSuffixes.begin(), kSuffixes.end(),
                                        [&](const char* suffix) { return HasSuffix(path, suffix); });
}

void AddFolder(const fs::path& root, const char* folder, std::vector<SourceFile>& files) {
  if (!fs::is_directory(root / folder)) return;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string path = entry.path().lexically_relative(root).generic_string();
    if (entry.is_regular_file() && IsWanted(path)) files.push_back(MakeSourceFile(path, ReadFile(entry.path())));
  }
}

std::vector<SourceFile> LoadTree(const fs::path& root) {
  std::vector<SourceFile> files;
  for (const char* folder : kProductFolders) AddFolder(root, folder, files);
  for (const char* folder : kOtherFolders) AddFolder(root, folder, files);
  for (const char* name : kRootFiles) {
    if (fs::exists(root / name)) files.push_back(MakeSourceFile(name, ReadFile(root / name)));
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

// Walks C++ once and blanks what is no code. Digit separators (1'000) are no character literals.
class Blanker {
 public:
  explicit Blanker(SourceFile* file) : file_(*file), text_(file->raw) {}

  void Run() {
    while (at_ < text_.size()) Step();
  }

 private:
  void Step() {
    if (Starts("//")) return Blank(LineEnd(), /*comment=*/true);
    if (Starts("/*")) return Blank(After("*/", at_ + 2), /*comment=*/true);
    if (Starts("R\"")) return RawString();
    if (text_[at_] == '"') return Literal('"');
    if (text_[at_] == '\'' && !AfterWord()) return Literal('\'');
    ++at_;
  }

  bool Starts(const char* what) const { return text_.compare(at_, std::char_traits<char>::length(what), what) == 0; }
  bool AfterWord() const {
    return at_ > 0 && (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0 || text_[at_ - 1] == '_');
  }
  size_t LineEnd() const { return std::min(text_.find('\n', at_), text_.size()); }
  size_t After(const std::string& what, size_t from) const {
    const size_t found = text_.find(what, from);
    return found == std::string::npos ? text_.size() : found + what.size();
  }

  void RawString() {
    const size_t open = std::min(text_.find('(', at_), text_.size());
    const std::string mark = text_.substr(at_ + 2, open - at_ - 2);
    Blank(After(")" + mark + "\"", open), /*comment=*/false);
  }

  void Literal(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    Blank(std::min(end + 1, text_.size()), /*comment=*/false);
  }

  void Blank(size_t end, bool comment) {
    for (; at_ < end; ++at_) {
      if (text_[at_] == '\n') continue;
      file_.code[at_] = ' ';
      if (comment) file_.uncommented[at_] = ' ';
    }
  }

  SourceFile& file_;
  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

bool HasSuffix(const std::string& text, const std::string& suffix) {
  return text.size() >= suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

bool HasPrefix(const std::string& text, const std::string& prefix) { return text.compare(0, prefix.size(), prefix) == 0; }

bool IsCpp(const std::string& path) { return HasSuffix(path, ".cc") || HasSuffix(path, ".h"); }

bool IsProduct(const std::string& path) {
  return std::any_of(kProductFolders.begin(), kProductFolders.end(),
                     [&](const char* folder) { return HasPrefix(path, std::string(folder) + "/"); });
}

SourceFile MakeSourceFile(std::string path, std::string raw) {
  SourceFile file{std::move(path), raw, raw, raw};
  if (IsCpp(file.path)) Blanker(&file).Run();
  return file;
}

const std::vector<SourceFile>& Tree() {
  static const auto* const kTree = new std::vector<SourceFile>(LoadTree(TIDEMARK_SOURCE_DIR));
  return *kTree;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

std::string JoinPath(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).lexically_normal().generic_string();
}

std::string FolderOf(const std::string& path) { return fs::path(path).parent_path().generic_string(); }

}  // namespace tidemark::lint
