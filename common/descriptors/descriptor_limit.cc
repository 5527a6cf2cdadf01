#include "common/descriptors/descriptor_limit.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tidemark {

absl::StatusOr<uint64_t> RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return absl::InternalError(absl::StrCat("limit of open files: ", strerror(errno)));
  }
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  const bool raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
  return static_cast<uint64_t>(raised ? limit.rlim_cur : before);
}

uint64_t DescriptorLimit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

}  // namespace tidemark
