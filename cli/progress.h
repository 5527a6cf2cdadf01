// Live progress on the way: one line redrawn on a terminal, one line a level elsewhere.
#ifndef TIDEMARK_CLI_PROGRESS_H_
#define TIDEMARK_CLI_PROGRESS_H_

#include <ostream>
#include <string>

#include "cli/runner.h"
#include "cli/terminal.h"
#include "common/mutex.h"
#include "proto/tidemark/v1/result.pb.h"

namespace tidemark {

// "level 3 of 7 · concurrency 16 · measuring · 16 in flight · 312/500 · 1,234 tok/s · …", at most
// `width` columns. Pure.
std::string RenderProgress(const LiveProgress& progress, int width);

// A finished level in one line: concurrency, verdict, requests, throughput, latencies, time. Pure.
std::string RenderLevel(const v1::LevelResult& level, const Terminal& terminal);

// Thread-safe. `out` must outlive it.
class ProgressView {
 public:
  ProgressView(const Terminal& terminal, std::ostream& out) : terminal_(terminal), out_(out) {}

  void Show(const LiveProgress& progress);
  void LevelDone(const v1::LevelResult& level);
  // A line that stays, above the live one. A server may have made it: control characters become spaces.
  void Say(absl::string_view line);
  // Removes the live line.
  void Finish();

 private:
  void PrintAbove(absl::string_view line) TIDEMARK_REQUIRES(mutex_);
  void Erase() TIDEMARK_REQUIRES(mutex_);

  const Terminal terminal_;
  Mutex mutex_;
  std::ostream& out_ TIDEMARK_GUARDED_BY(mutex_);
  std::string live_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark

#endif  // TIDEMARK_CLI_PROGRESS_H_
