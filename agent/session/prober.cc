#include "agent/session/prober.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/session/probe_requests.h"
#include "agent/session/prompt_length_fit.h"
#include "agent/workload/prompts.h"

namespace tidemark {
namespace {

constexpr uint64_t kModelsMillis = 30'000;
constexpr uint64_t kModelsAsideMillis = 1'000;  // where the list only makes a text better
constexpr double kLengthTolerance = 0.02;
constexpr size_t kHeaderBytes = 200;

using Answer = ProbeRequests::Answer;
using Models = ProbeRequests::Models;

uint32_t Tokens(double mean) {
  return static_cast<uint32_t>(std::clamp(std::round(mean), 1.0, 1e7));
}

// One probe from its beginning to its answer.
class Probe {
 public:
  Probe(const ProbeTask& task, const ProberOptions& options, const Clock* clock)
      : task_(task),
        endpoint_(task.endpoint),
        workload_(task.workload),
        requests_(task, options, clock) {}

  v1::Probed Run();

 private:
  enum class Calibration { kNot, kDone, kNoUsage, kFailed };

  // Each returns false when the probe has ended with a refusal.
  bool FindModel();
  bool Calibrate();
  bool SendReal(const std::string& url);

  Answer Send(const std::string& url, uint32_t words, uint32_t output_tokens);
  std::optional<uint64_t> CountPrompt(uint32_t words, Answer* answer);
  bool TakeFit(const std::vector<PromptLength>& points);
  bool Fail(const ProbeFault& fault);
  void NoteModelLength(const std::vector<ServedModel>& served);
  void NoteAnswer(const SingleResult& result);
  void NoteServer();
  void Warn(const std::string& text) { probed_.add_warnings(text); }
  ProbeSubject Subject(const std::string& url) const;
  const std::string& url() const { return task_.endpoint.urls.front(); }

  const ProbeTask& task_;
  EndpointSpec endpoint_;
  WorkloadSpec workload_;
  ProbeRequests requests_;
  Calibration calibration_ = Calibration::kNot;
  std::vector<std::string> served_;
  v1::Probed probed_;
};

v1::Probed Probe::Run() {
  bool alive = FindModel() && Calibrate();
  for (size_t i = 0; alive && i < task_.endpoint.urls.size(); ++i)
    alive = SendReal(task_.endpoint.urls[i]);
  // A passing failure must not cost the whole job its prompt lengths.
  if (alive && calibration_ == Calibration::kFailed && !probed_.has_failure()) alive = Calibrate();
  if (alive && !probed_.has_failure()) NoteServer();
  if (alive && calibration_ == Calibration::kFailed) {
    Warn(
        "prompt lengths are not calibrated, for calibration requests failed: one word is taken as "
        "one token");
  }
  probed_.set_model(endpoint_.model);
  probed_.set_fixed_output_length(workload_.fixed_output_length);
  probed_.mutable_calibration()->set_intercept(workload_.calibration.intercept);
  probed_.mutable_calibration()->set_slope(workload_.calibration.slope);
  probed_.set_calibrated(calibration_ == Calibration::kDone);
  probed_.set_requests(requests_.counts().requests);
  probed_.set_input_tokens(requests_.counts().input_tokens);
  probed_.set_output_tokens(requests_.counts().output_tokens);
  return std::move(probed_);
}

// Where there is no list to be had, the real request will tell whether a model must be named.
bool Probe::FindModel() {
  if (!endpoint_.model.empty()) return true;
  Models models;
  requests_.UntilReady([this, &models] {
    models = requests_.ListModels(url(), kModelsMillis);
    return models.fault;
  });
  if (models.fault && (IsRefusal(*models.fault) || requests_.cancelled()))
    return Fail(*models.fault);
  for (const ServedModel& model : models.served)
    served_.push_back(Shortened(model.id, kHeaderBytes));
  if (models.served.size() > 1) {
    for (const std::string& model : served_) probed_.add_models(model);
    return Fail(
        {"model", 0, url(),
         absl::StrCat("the endpoint serves ", models.served.size(), " models, and none is named"),
         ""});
  }
  if (models.served.size() == 1) {
    endpoint_.model = models.served[0].id;
    NoteModelLength(models.served);
  }
  return true;
}

void Probe::NoteModelLength(const std::vector<ServedModel>& served) {
  const double longest = workload_.input.mean + 3 * workload_.input.stddev + workload_.output.mean +
                         3 * workload_.output.stddev;
  for (const ServedModel& model : served) {
    if (model.id != endpoint_.model || !model.max_model_len) continue;
    if (longest <= static_cast<double>(*model.max_model_len)) continue;
    Warn(absl::StrCat("requests may reach ", Tokens(longest),
                      " tokens, but the model's context (max_model_len) is ", *model.max_model_len,
                      ": lower --isl (", workload_.input.mean, ") or --osl (",
                      workload_.output.mean, ")"));
  }
}

bool Probe::Calibrate() {
  std::vector<PromptLength> points;
  while (points.size() < kCalibrationPrompts) {
    const uint32_t words = NextCalibrationWords(points, workload_.input.mean);
    Answer answer;
    const std::optional<uint64_t> tokens = CountPrompt(words, &answer);
    if (answer.fault) {
      calibration_ = Calibration::kFailed;
      return IsRefusal(*answer.fault) ? Fail(*answer.fault) : true;
    }
    if (!tokens) {
      calibration_ = Calibration::kNoUsage;
      Warn(
          "the endpoint reports no usage.prompt_tokens: prompt lengths are not calibrated, and one "
          "word is "
          "taken as one token");
      return true;
    }
    points.push_back({words, *tokens});
  }
  calibration_ = TakeFit(points) ? Calibration::kDone : Calibration::kNoUsage;
  return true;
}

// Some endpoints report usage only where they do not stream.
std::optional<uint64_t> Probe::CountPrompt(uint32_t words, Answer* answer) {
  *answer = Send(url(), words, 1);
  if (answer->fault || answer->result.record.usage_prompt_tokens || !workload_.streaming) {
    return answer->result.record.usage_prompt_tokens;
  }
  workload_.streaming = false;
  const Answer whole = Send(url(), words, 1);
  workload_.streaming = true;
  return whole.fault ? std::nullopt : whole.result.record.usage_prompt_tokens;
}

bool Probe::TakeFit(const std::vector<PromptLength>& points) {
  const std::optional<PromptCalibration> line = FitPromptLength(points);
  if (!line) {
    Warn(
        "the endpoint's usage.prompt_tokens does not grow with the prompt: prompt lengths are not "
        "calibrated, "
        "and one word is taken as one token");
    return false;
  }
  const double error = WorstLengthError(points, *line);
  if (error > kLengthTolerance) {
    Warn(absl::StrFormat(
        "the endpoint's prompt tokens are not linear in words (%.1f %% off): input lengths "
        "will miss by about as much",
        100 * error));
  }
  workload_.calibration = *line;
  return true;
}

bool Probe::SendReal(const std::string& url) {
  const Answer answer = Send(url, WordsForTokens(workload_.calibration, workload_.input.mean),
                             Tokens(workload_.output.mean));
  if (answer.fault) return Fail(*answer.fault);
  if (url == this->url()) NoteAnswer(answer.result);
  return true;
}

Answer Probe::Send(const std::string& url, uint32_t words, uint32_t output_tokens) {
  const bool fixed = workload_.fixed_output_length;
  Answer answer;
  requests_.UntilReady([&] {
    answer = requests_.Send(url, endpoint_, &workload_, words, output_tokens);
    return answer.fault;
  });
  if (fixed && !workload_.fixed_output_length) {
    Warn(
        "the endpoint refuses ignore_eos and min_tokens, so answers may end early: output lengths "
        "will vary "
        "(--natural-stop asks for that from the start)");
  }
  return answer;
}

// Returns false when the probe ends here.
bool Probe::Fail(const ProbeFault& fault) {
  if (fault.status == 404 && served_.empty()) {
    for (const ServedModel& model : requests_.ListModels(url(), kModelsAsideMillis).served) {
      served_.push_back(Shortened(model.id, kHeaderBytes));
    }
  }
  *probed_.mutable_failure() = EncodeProbeFault(fault, Subject(fault.url));
  probed_.set_status(fault.status);
  return !probed_.failure().refusal();
}

ProbeSubject Probe::Subject(const std::string& url) const {
  ProbeSubject subject;
  subject.api = endpoint_.api;
  subject.model = endpoint_.model;
  subject.served = served_;
  subject.api_key_env = endpoint_.api_key_env;
  subject.authorized = requests_.Authorized(url);
  subject.ca_cert = !endpoint_.ca_cert.empty();
  subject.input_tokens = workload_.input.mean;
  subject.output_tokens = workload_.output.mean;
  return subject;
}

void Probe::NoteAnswer(const SingleResult& result) {
  probed_.set_status(result.record.status);
  probed_.set_tls_version(result.tls_version);
  probed_.set_server(Shortened(result.record.server, kHeaderBytes));
  probed_.set_latency_us(RequestLatencyUs(result.record).value_or(0));
  probed_.set_time_to_first_token_us(TimeToFirstTokenUs(result.record).value_or(0));
}

void Probe::NoteServer() {
  probed_.set_server_version(requests_.ServerVersion(url()));
  if (task_.endpoint.model.empty()) return;
  NoteModelLength(requests_.ListModels(url(), kModelsAsideMillis).served);
}

}  // namespace

v1::Probed ProbeEndpoint(const ProbeTask& task, const ProberOptions& options, const Clock* clock) {
  return Probe(task, options, clock).Run();
}

}  // namespace tidemark
