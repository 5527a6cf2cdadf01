// The search's and the SLAs' part of resolving a job. Private to coordinator/core/job_spec.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SEARCH_SETTINGS_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SEARCH_SETTINGS_H_

#include <optional>
#include <vector>

#include "coordinator/core/job_spec/job_spec.h"
#include "coordinator/core/job_spec/setting_reader.h"

namespace tidemark {

// Nothing without search_recipe; then parameters of a search are refused, for they would have no
// effect. Problems are noted in `reader`.
std::optional<SearchParameters> ReadSearch(SettingReader& reader);

std::vector<Sla> ReadSlas(SettingReader& reader, bool is_search, bool streaming);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_SEARCH_SETTINGS_H_
