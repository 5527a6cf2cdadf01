// The simulator's capacity law: continuous batching in steps, as docs/simulator.md states it.
//
// A step with B sequences (B <= max_batch) of which some are new and bring P prompt tokens in all
// lasts a*P + b + c*B. At its end every sequence of the batch emits one token; those that have all
// of theirs leave, and the next step starts at that very time. Waiting sequences are admitted in
// order of arrival at a step's start, those only that had arrived by then. When nothing runs, the
// first arrival starts a step.
#ifndef TIDEMARK_SIMULATOR_BATCH_LAW_H_
#define TIDEMARK_SIMULATOR_BATCH_LAW_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "simulator/seeded_random.h"
#include "simulator/token_schedule.h"

namespace tidemark {

struct LawConstants {
  double prefill_us_per_token = 2.0;  // a
  double step_ms = 1.0;               // b
  double sequence_ms = 0.05;          // c
  int64_t max_batch = 16;             // M
  // A step admits no more prompt tokens than this (but always one sequence); 0: no limit.
  int64_t max_prompt_tokens_per_step = 0;
  // Each step's duration is multiplied by 1 + jitter*u, u uniform in [-1, 1): the mean stays.
  double jitter = 0;
};

// Thread-compatible.
class BatchLaw : public TokenSchedule {
 public:
  // `seed` draws the jitter. REQUIRES: max_batch >= 1, durations > 0, jitter in [0, 1).
  BatchLaw(const LawConstants& constants, uint64_t seed);

  void Arrive(SimTime now, const Sequence& sequence) override;
  // A step that has started keeps its duration when one of its sequences is cancelled.
  bool Cancel(uint64_t id) override;
  std::optional<SimTime> NextDue() const override { return step_end_; }
  bool EmitNext(SimTime now, std::vector<TokenEmission>* out) override;
  size_t running() const override { return running_.size(); }
  size_t waiting() const override { return waiting_.size(); }

 private:
  struct Waiting {
    SimTime arrived;
    Sequence sequence;
  };
  struct Running {
    uint64_t id;
    int64_t emitted;
    int64_t output_tokens;
  };

  void StartStep(SimTime start);
  int64_t Admit(SimTime start);
  SimTime StepDuration(int64_t admitted_prompt_tokens);

  const LawConstants constants_;
  SeededRandom random_;
  std::deque<Waiting> waiting_;
  std::vector<Running> running_;
  std::optional<SimTime> step_end_;
};

}  // namespace tidemark

#endif  // TIDEMARK_SIMULATOR_BATCH_LAW_H_
