#ifndef TIDEMARK_COMMON_DESCRIPTORS_DESCRIPTOR_LIMIT_H_
#define TIDEMARK_COMMON_DESCRIPTORS_DESCRIPTOR_LIMIT_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace tidemark {

// Raises this process's soft limit of open descriptors to the hard one and returns it (the old one where
// that is not allowed). For the start of a program. Internal with the system's reason when there is no
// telling.
absl::StatusOr<uint64_t> RaiseDescriptorLimit();

// The soft limit of open descriptors; 0 when there is no telling.
uint64_t DescriptorLimit();

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_DESCRIPTORS_DESCRIPTOR_LIMIT_H_
