#include "coordinator/core/search/search_codec.h"

#include <string>

namespace tidemark {

v1::Verdict EncodeVerdict(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass: return v1::PASS;
    case Verdict::kFail: return v1::FAIL;
    case Verdict::kInconclusive: return v1::INCONCLUSIVE;
    case Verdict::kInvalid: break;
  }
  return v1::INVALID;
}

void EncodeSla(const Sla& sla, std::optional<double> observed, v1::SlaResult& out) {
  out.set_metric_tag(sla.metric_tag);
  out.set_stat(std::string(SlaStatName(sla.stat)));
  out.set_op(std::string(SlaOpName(sla.op)));
  out.set_threshold(sla.threshold);
  out.set_implied(sla.implied);
  out.set_observed_known(observed.has_value());
  out.set_observed(observed.value_or(0));
}

}  // namespace tidemark
