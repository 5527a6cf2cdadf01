#ifndef TIDEMARK_CLIENT_NOTE_LOG_H_
#define TIDEMARK_CLIENT_NOTE_LOG_H_

#include <deque>
#include <vector>

#include "proto/tidemark/v1/benchmark.pb.h"

namespace tidemark {

// Which notes of a job a watcher has not seen: notes come one by one, and again, the latest of them, with each state
// of the job, so that a watcher that was cut off misses none. Thread-compatible.
class NoteLog {
 public:
  // A note that came by itself.
  void Add(const v1::Note& note);
  // The job's latest notes; returns those that are new, in order.
  std::vector<v1::Note> Merge(const v1::Job& job);

 private:
  static constexpr size_t kKept = 100;  // as many as a job keeps

  // How many of the job's first notes end what was seen.
  size_t Overlap(const v1::Job& job) const;

  std::deque<v1::Note> seen_;
};

}  // namespace tidemark

#endif  // TIDEMARK_CLIENT_NOTE_LOG_H_
