#include "tests/e2e/cluster/job_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/support/process.h"

namespace tidemark::testing {

std::string ToText(const Moment& moment) {
  return absl::StrCat("level ", moment.level, " ", moment.phase, " (attempt ", moment.attempt, ")");
}

JobWatch::JobWatch(BenchmarkClient* client, std::string job_id)
    : client_(client), job_id_(std::move(job_id)), thread_([this] { Watch(); }) {}

JobWatch::~JobWatch() {
  stop_.Cancel();
  thread_.join();
}

void JobWatch::Watch() {
  absl::StatusOr<v1::Job> end = client_->WatchJob(job_id_, Events(), &stop_);
  MutexLock lock(mutex_);
  end_ = std::move(end);
  changed_.NotifyAll();
}

WatchEvents JobWatch::Events() {
  WatchEvents events;
  events.progress = [this](const v1::LevelProgress& progress) {
    See({progress.level(), progress.phase(), progress.attempt()});
  };
  events.level = [this](const v1::LevelResult& level) {
    {
      MutexLock lock(mutex_);
      levels_.push_back(level);
    }
    See({level.level(), "done", level.attempt()});
  };
  events.note = [this](const v1::Note& note) {
    MutexLock lock(mutex_);
    notes_.push_back(note.text());
  };
  return events;
}

bool JobWatch::HasSeen(const Moment& moment) {
  return std::any_of(seen_.begin(), seen_.end(), [&](const Seen& seen) { return seen.moment == moment; });
}

void JobWatch::See(const Moment& moment) {
  std::vector<std::function<void()>> due;
  {
    MutexLock lock(mutex_);
    if (HasSeen(moment)) return;
    seen_.push_back({moment, NowMs()});
    for (const Act& act : acts_) {
      if (act.moment == moment) due.push_back(act.act);
    }
  }
  for (const auto& act : due) act();
  changed_.NotifyAll();
}

void JobWatch::On(const Moment& moment, std::function<void()> act) {
  MutexLock lock(mutex_);
  EXPECT_FALSE(HasSeen(moment)) << ToText(moment) << " was over before the test asked for it";
  acts_.push_back({moment, std::move(act)});
}

bool JobWatch::WaitFor(const Moment& moment, int64_t ms) {
  const int64_t end = NowMs() + ms;
  MutexLock lock(mutex_);
  while (!HasSeen(moment) && NowMs() < end) {
    if (end_) return false;
    changed_.WaitFor(mutex_, 20 * kNanosPerMilli);
  }
  return HasSeen(moment);
}

std::optional<int64_t> JobWatch::SeenAt(const Moment& moment) {
  MutexLock lock(mutex_);
  for (const Seen& seen : seen_) {
    if (seen.moment == moment) return seen.at_ms;
  }
  return std::nullopt;
}

v1::Job JobWatch::WaitForEnd(int64_t ms) {
  const int64_t deadline = NowMs() + ms;
  {
    MutexLock lock(mutex_);
    while (!end_ && NowMs() < deadline) changed_.WaitFor(mutex_, 20 * kNanosPerMilli);
    if (end_ && end_->ok()) return **end_;
    if (end_) ADD_FAILURE() << "the watch of the job broke: " << end_->status();
  }
  ADD_FAILURE() << "the job has not ended after " << ms << " ms:\n" << Story();
  return {};
}

std::vector<v1::LevelResult> JobWatch::levels() {
  MutexLock lock(mutex_);
  return levels_;
}

std::string JobWatch::notes() {
  MutexLock lock(mutex_);
  return absl::StrJoin(notes_, "\n");
}

std::string JobWatch::Story() {
  std::string story;
  MutexLock lock(mutex_);
  for (const Seen& seen : seen_) {
    absl::StrAppend(&story, seen.at_ms - seen_.front().at_ms, " ms: ", ToText(seen.moment), "\n");
  }
  for (const std::string& note : notes_) absl::StrAppend(&story, note, "\n");
  return story;
}

}  // namespace tidemark::testing
