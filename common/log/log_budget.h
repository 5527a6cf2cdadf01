#ifndef TIDEMARK_COMMON_LOG_LOG_BUDGET_H_
#define TIDEMARK_COMMON_LOG_LOG_BUDGET_H_

#include <cstdint>
#include <optional>
#include <utility>

namespace tidemark {

// How often a kind of entry may be logged that others can cause at will: `most` in each `period`. Pure: times are
// CLOCK_MONOTONIC ns. Thread-compatible.
class LogBudget {
 public:
  explicit LogBudget(uint64_t most = 10, int64_t period = 10'000'000'000) : most_(most), period_(period) {}

  // The entry may be logged, and says how many were left out before it; nothing: it is to be left out.
  std::optional<uint64_t> Take(int64_t now) {
    if (!began_ || now - *began_ >= period_) {
      began_ = now;
      taken_ = 0;
    }
    if (taken_ >= most_) {
      ++left_out_;
      return std::nullopt;
    }
    ++taken_;
    return std::exchange(left_out_, 0);
  }

 private:
  const uint64_t most_;
  const int64_t period_;
  std::optional<int64_t> began_;
  uint64_t taken_ = 0;  // of this period
  uint64_t left_out_ = 0;
};

}  // namespace tidemark

#endif  // TIDEMARK_COMMON_LOG_LOG_BUDGET_H_
