#include "coordinator/driver/watchers.h"

#include <utility>

namespace tidemark {

uint64_t Watchers::Add(std::string job_id, Update update, Ended ended) {
  auto watcher = std::make_shared<Watcher>();
  watcher->job_id = std::move(job_id);
  {
    MutexLock lock(watcher->mutex);
    watcher->update = std::move(update);
    watcher->ended = std::move(ended);
  }
  MutexLock lock(mutex_);
  watchers_[++last_] = std::move(watcher);
  return last_;
}

std::shared_ptr<Watchers::Watcher> Watchers::Find(uint64_t watcher) {
  MutexLock lock(mutex_);
  const auto found = watchers_.find(watcher);
  return found == watchers_.end() ? nullptr : found->second;
}

std::vector<uint64_t> Watchers::Of(const std::string& job_id) {
  std::vector<uint64_t> out;
  MutexLock lock(mutex_);
  for (const auto& [number, watcher] : watchers_) {
    if (job_id.empty() || watcher->job_id == job_id) out.push_back(number);
  }
  return out;
}

// Waits for a call that is under way.
void Watchers::Remove(uint64_t watcher) {
  const std::shared_ptr<Watcher> found = Find(watcher);
  if (!found) return;
  {
    MutexLock lock(found->mutex);
    found->gone = true;
  }
  MutexLock lock(mutex_);
  watchers_.erase(watcher);
}

void Watchers::Tell(uint64_t watcher, const v1::JobUpdate& update) {
  const std::shared_ptr<Watcher> found = Find(watcher);
  if (!found) return;
  MutexLock lock(found->mutex);
  if (!found->gone) found->update(update);
}

void Watchers::Follow(uint64_t watcher) {
  const std::shared_ptr<Watcher> found = Find(watcher);
  if (!found) return;
  MutexLock lock(found->mutex);
  found->follows = true;
}

void Watchers::End(uint64_t watcher, const absl::Status& status) {
  const std::shared_ptr<Watcher> found = Find(watcher);
  if (!found) return;
  {
    MutexLock lock(found->mutex);
    if (!std::exchange(found->gone, true)) found->ended(status);
  }
  MutexLock lock(mutex_);
  watchers_.erase(watcher);
}

void Watchers::TellAll(const std::string& job_id, const v1::JobUpdate& update) {
  for (const uint64_t number : Of(job_id)) {
    const std::shared_ptr<Watcher> found = Find(number);
    if (!found) continue;
    MutexLock lock(found->mutex);
    if (!found->gone && found->follows) found->update(update);
  }
}

void Watchers::EndAll(const std::string& job_id, const absl::Status& status) {
  for (const uint64_t number : Of(job_id)) End(number, status);
}

void Watchers::EndEvery(const absl::Status& status) { EndAll("", status); }

}  // namespace tidemark
