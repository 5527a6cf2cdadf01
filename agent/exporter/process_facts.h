#ifndef TIDEMARK_AGENT_EXPORTER_PROCESS_FACTS_H_
#define TIDEMARK_AGENT_EXPORTER_PROCESS_FACTS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

// What the kernel says of this process. Zero where it does not say.
struct ProcessFacts {
  double cpu_seconds = 0;  // user and system, all threads
  uint64_t resident_bytes = 0;
};

ProcessFacts ReadProcessFacts();

// Resident pages: the second number of a /proc/self/statm.
uint64_t ParseResidentPages(absl::string_view statm);

// Bytes of the regular files in `folder`, not those below; 0 when it cannot be read.
uint64_t BytesOfFiles(const std::string& folder);

}  // namespace tidemark

#endif  // TIDEMARK_AGENT_EXPORTER_PROCESS_FACTS_H_
