#include "coordinator/core/job/probe_judgement.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/core/job_spec/secrets.h"

namespace tidemark {
namespace {

void Warn(absl::string_view text, std::vector<Say>* says) {
  Say say;
  say.warning = true;
  absl::StrAppend(&say.text, text);
  says->push_back(std::move(say));
}

std::string DescribeFailure(const v1::ProbeFailure& failure) {
  std::string text = RedactUrl(failure.url());
  if (failure.status() != 0) absl::StrAppend(&text, " answered ", failure.status());
  absl::StrAppend(&text, text.empty() ? "" : ": ",
                  failure.reason().empty() ? failure.failure_class() : failure.reason());
  if (!failure.excerpt().empty()) absl::StrAppend(&text, ": ", failure.excerpt());
  if (!failure.hint().empty()) absl::StrAppend(&text, ". ", failure.hint());
  return text;
}

std::string FirstUrl(const JobSpec& spec) {
  return spec.endpoint.urls.empty() ? "the endpoint" : RedactUrl(spec.endpoint.urls.front());
}

std::optional<ProbeRefusal> FillModel(const v1::Probed& report, JobSpec* spec) {
  if (!spec->endpoint.model.empty()) return std::nullopt;
  if (!report.model().empty()) {
    spec->endpoint.model = report.model();
    return std::nullopt;
  }
  if (report.models_size() > 1) {
    return ProbeRefusal{"model", absl::StrCat(FirstUrl(*spec), " offers ", report.models_size(),
                                              " models: name one with --model: ",
                                              absl::StrJoin(report.models(), ", "))};
  }
  const std::string why =
      report.has_failure() ? absl::StrCat(" (", DescribeFailure(report.failure()), ")") : "";
  return ProbeRefusal{
      "model", absl::StrCat(FirstUrl(*spec), " names no model", why, ": name one with --model")};
}

void FillCalibration(const v1::Probed& report, JobSpec* spec, std::vector<Say>* says) {
  const double intercept = report.calibration().intercept();
  const double slope = report.calibration().slope();
  if (report.calibrated() && std::isfinite(intercept) && std::isfinite(slope) && slope > 0) {
    spec->workload.calibration = {intercept, slope};
    return;
  }
  spec->workload.calibration = {0, 1};
  if (report.has_failure()) return;  // said already
  Warn("the endpoint reports no token usage: a word of the prompt is taken as one token, so input lengths are "
       "approximate",
       says);
}

}  // namespace

ProbeJudgement ApplyProbe(const v1::Probed& report, JobSpec* spec) {
  ProbeJudgement out;
  if (report.has_failure() && report.failure().refusal()) {
    out.refusal = {report.failure().failure_class(), DescribeFailure(report.failure())};
    return out;
  }
  out.refusal = FillModel(report, spec);
  if (out.refusal) return out;
  if (report.has_failure()) {
    out.says.push_back({true, absl::StrCat("the probe failed, and the job goes on: ",
                                           DescribeFailure(report.failure()))});
  }
  FillCalibration(report, spec, &out.says);
  if (spec->workload.fixed_output_length && !report.fixed_output_length() &&
      !report.has_failure()) {
    spec->workload.fixed_output_length = false;
    Warn("the endpoint refuses ignore_eos and min_tokens: output lengths are up to the model", &out.says);
  }
  for (const std::string& warning : report.warnings()) out.says.push_back({true, warning});
  return out;
}

}  // namespace tidemark
