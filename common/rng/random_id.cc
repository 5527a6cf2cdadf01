#include "common/rng/random_id.h"

#include <random>

#include "absl/strings/str_cat.h"

namespace tidemark {

std::string RandomId() {
  std::random_device source;
  std::string hex;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&hex, absl::Hex(source(), absl::kZeroPad8));
  return hex;
}

}  // namespace tidemark
