#include "common/job/job_state.h"

namespace tidemark {

bool HasEnded(const v1::Job& job) {
  return job.state() == v1::COMPLETED || job.state() == v1::FAILED || job.state() == v1::STOPPED;
}

}  // namespace tidemark
