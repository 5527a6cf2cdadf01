#include <algorithm>

#include "coordinator/core/job_spec/job_spec.h"

namespace tidemark {

uint64_t RequestCountAt(const JobSpec& spec, uint32_t concurrency) {
  return spec.request_count.value_or(std::max<uint64_t>(100, uint64_t{5} * concurrency));
}

}  // namespace tidemark
