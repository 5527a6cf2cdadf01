// The endpoint's part of resolving a job. Private to coordinator/core/job_spec.
#ifndef TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ENDPOINT_SETTINGS_H_
#define TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ENDPOINT_SETTINGS_H_

#include "common/job/level_task.h"
#include "coordinator/core/job_spec/setting_reader.h"

namespace tidemark {

// Problems are noted in `reader`. `urls` stays empty when none is given.
EndpointSpec ReadEndpoint(SettingReader& reader);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_CORE_JOB_SPEC_ENDPOINT_SETTINGS_H_
