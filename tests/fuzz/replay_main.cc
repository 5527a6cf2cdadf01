// Runs a fuzz target over the files of a corpus folder, and over mutations of each by a fixed seed: the
// same inputs each time, in bounded time.
//   x_fuzz [--mutations N] FOLDER_OR_FILE…
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void RunOne(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

// Bytes that mean something to the parsers under test.
constexpr char kTelling[] = "\r\n:{}[]\"\\, data\0\xEF\xBB\xBF\xC3";

void MutateOnce(std::string* input, std::mt19937_64* random) {
  const size_t at = input->empty() ? 0 : (*random)() % input->size();
  const char telling = kTelling[(*random)() % (sizeof(kTelling) - 1)];
  switch ((*random)() % 5) {
    case 0:
      input->insert(input->begin() + static_cast<ptrdiff_t>(at), telling);
      return;
    case 1:
      if (!input->empty()) (*input)[at] = telling;
      return;
    case 2:
      if (!input->empty()) (*input)[at] = static_cast<char>((*random)());
      return;
    case 3:
      input->erase(at, (*random)() % 8);
      return;
    default:
      input->insert(at, input->substr((*random)() % (input->size() + 1), (*random)() % 64));
  }
}

void RunMutations(const std::string& seed_input, int mutations) {
  std::mt19937_64 random(seed_input.size());
  for (int i = 0; i < mutations; ++i) {
    std::string input = seed_input;
    for (uint64_t steps = 1 + random() % 4; steps > 0; --steps) MutateOnce(&input, &random);
    RunOne(input);
  }
}

std::vector<std::filesystem::path> Files(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool Replay(const std::filesystem::path& file, int mutations) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return false;
  const std::string input((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  RunOne(input);
  RunMutations(input, mutations);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  int mutations = 0;
  int replayed = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--mutations" && i + 1 < argc) {
      mutations = std::atoi(argv[++i]);
      continue;
    }
    for (const std::filesystem::path& file : Files(argument)) {
      std::fprintf(stderr, "%s\n", file.c_str());
      if (!Replay(file, mutations)) {
        std::fprintf(stderr, "cannot read %s\n", file.c_str());
        return 1;
      }
      ++replayed;
    }
  }
  std::printf("%d files, %d mutations each\n", replayed, mutations);
  return replayed > 0 ? 0 : 1;
}
