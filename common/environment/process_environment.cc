#include "common/environment/process_environment.h"

#include <unistd.h>

extern char** environ;

namespace tidemark {

std::vector<std::string> ProcessEnvironment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

}  // namespace tidemark
