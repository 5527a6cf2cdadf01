#include "simulator/options.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tidemark {
namespace {

// A day of milliseconds keeps every sum of times far inside 64 bits of nanoseconds.
constexpr double kDayMs = 86'400'000;

// Collects the first refusal, so that a list of checks reads as a table.
class Checks {
 public:
  void Range(absl::string_view field, double value, double low, double high) {
    if (value >= low && value <= high) return;
    Refuse(absl::StrCat(field, " is ", value, "; it must be from ", low, " to ", high));
  }
  void That(bool holds, const std::string& text) {
    if (!holds) Refuse(text);
  }
  absl::Status status() const { return status_; }

 private:
  void Refuse(const std::string& text) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(text);
  }
  absl::Status status_;
};

}  // namespace

absl::Status CheckOptions(const SimulatorOptions& options) {
  const LawConstants& law = options.law;
  Checks check;
  check.Range("port", options.port, 0, 65535);
  check.Range("prefill-us-per-token", law.prefill_us_per_token, 0, 1e6);
  check.Range("step-ms", law.step_ms, 0, kDayMs);
  check.Range("sequence-ms", law.sequence_ms, 0, kDayMs);
  check.That(law.step_ms + law.sequence_ms >= 0.001,
             absl::StrCat("step-ms ", law.step_ms, " and sequence-ms ", law.sequence_ms,
                          ": together they must be at least 0.001"));
  check.Range("max-batch", static_cast<double>(law.max_batch), 1, 1e6);
  check.Range("max-prompt-tokens-per-step", static_cast<double>(law.max_prompt_tokens_per_step), 0,
              1e9);
  check.Range("jitter", law.jitter, 0, 0.99);
  check.Range("template-tokens", static_cast<double>(options.template_tokens), 0, 1e6);
  check.Range("natural-mean", options.natural_mean, 1, 1e7);
  if (options.fixed_delays.has_value()) {
    check.Range("delay-ms", options.fixed_delays->first_token_ms, 0, kDayMs);
    check.Range("itl-ms", options.fixed_delays->inter_token_ms, 0, kDayMs);
  }
  check.That(!options.models.empty() || !options.base_models.empty(),
             "model: none is given; at least one must be served");
  check.That(options.tls_cert.empty() == options.tls_key.empty(),
             "tls-cert and tls-key: only one is given; HTTPS needs both");
  if (!check.status().ok()) return check.status();
  return CheckFaults(options.faults);
}

}  // namespace tidemark
