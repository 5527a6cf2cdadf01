#include "cli/job_view.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "coordinator/core/job_spec/job_file.h"
#include "coordinator/core/job_spec/resolve.h"

namespace tidemark {
namespace {

// What is said of a state that is new; empty: nothing.
std::string Announced(const v1::Job& job) {
  switch (job.state()) {
    case v1::QUEUED:
      return absl::StrCat(
          "job ", job.id(), " is queued, ",
          job.queue_position() > 1 ? absl::StrCat(job.queue_position() - 1, " before it") : std::string("the next"));
    case v1::RUNNING:
      return absl::StrCat("job ", job.id(), " is running");
    case v1::STOPPING:
      return absl::StrCat("job ", job.id(), " is stopping");
    default:
      return "";
  }
}

}  // namespace

std::string StateText(v1::JobState state) {
  switch (state) {
    case v1::QUEUED:
      return "queued";
    case v1::RUNNING:
      return "running";
    case v1::STOPPING:
      return "stopping";
    case v1::COMPLETED:
      return "completed";
    case v1::FAILED:
      return "failed";
    case v1::STOPPED:
      return "stopped";
    default:
      return "unknown";
  }
}

WatchedSpec WatchedSpecOf(const v1::Job& job) {
  WatchedSpec watched;
  absl::StatusOr<Settings> settings = ParseJobFile(job.job_yaml(), "the job");
  if (!settings.ok()) return watched;
  const absl::StatusOr<ResolvedJob> resolved = Resolve({*std::move(settings)});
  if (!resolved.ok()) return watched;
  watched.levels_planned = static_cast<uint32_t>(resolved->spec.concurrency.size());
  watched.accept_undecided = resolved->spec.accept_undecided;
  return watched;
}

LiveProgress ToLiveProgress(const v1::LevelProgress& progress, uint32_t levels_planned) {
  LiveProgress live;
  live.level_number = progress.level() + 1;
  live.levels_planned = levels_planned;
  live.concurrency = progress.concurrency();
  live.phase = progress.phase();
  live.in_flight = progress.in_flight();
  live.done = progress.done();
  live.planned = progress.planned();
  live.failed = progress.failed();
  if (progress.output_tokens_per_s() > 0) live.tokens_per_second = progress.output_tokens_per_s();
  if (progress.has_request_latency_p99_ms()) live.p99_ms = progress.request_latency_p99_ms();
  if (progress.has_left_s()) live.seconds_left = progress.left_s();
  return live;
}

absl::StatusOr<v1::Job> WatchWithView(BenchmarkClient* client, const std::string& job_id, const RunCallbacks& view,
                                      Cancellation* stop) {
  const auto say = [&view](const std::string& text) {
    if (view.note && !text.empty()) view.note(text);
  };
  std::string announced;
  uint32_t planned = 0;
  WatchEvents events;
  events.job = [&](const v1::Job& job) {
    if (announced.empty()) planned = WatchedSpecOf(job).levels_planned;
    const std::string now = Announced(job);
    if (now != announced) say(now);
    announced = now;
  };
  events.progress = [&](const v1::LevelProgress& progress) {
    if (view.progress) view.progress(ToLiveProgress(progress, planned));
  };
  events.level = [&](const v1::LevelResult& level) {
    if (view.level_done) view.level_done(level);
  };
  events.note = [&](const v1::Note& note) {
    say(note.warning() ? absl::StrCat("warning: ", note.text()) : note.text());
  };
  events.lost = [&](const absl::Status& status) {
    say(absl::StrCat("connection lost, trying again (the job goes on by itself): ", status.message()));
  };
  events.found = [&] { say("connected again"); };
  return client->WatchJob(job_id, events, stop);
}

}  // namespace tidemark
