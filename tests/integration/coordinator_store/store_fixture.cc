#include "tests/integration/coordinator_store/store_fixture.h"

#include <utility>

namespace tidemark::testing {

v1::StoredJob MakeJob(const std::string& id, uint64_t number, const std::string& name) {
  v1::StoredJob job;
  job.mutable_job()->set_id(id);
  job.mutable_job()->set_name(name);
  job.mutable_job()->set_state(v1::RUNNING);
  job.set_number(number);
  return job;
}

v1::JournalEntry MakeEntry(const std::string& text) {
  v1::JournalEntry entry;
  entry.mutable_note()->set_text(text);
  return entry;
}

v1::Result MakeResult(const std::string& name) {
  v1::Result result;
  result.set_name(name);
  return result;
}

std::unique_ptr<JobStore> MustOpen(const std::string& dir) {
  absl::StatusOr<std::unique_ptr<JobStore>> store = JobStore::Open(dir);
  EXPECT_TRUE(store.ok()) << store.status();
  return store.ok() ? std::move(*store) : nullptr;
}

std::vector<std::string> JobIds(const JobStore& store) {
  const auto jobs = store.Jobs();
  EXPECT_TRUE(jobs.ok()) << jobs.status();
  std::vector<std::string> ids;
  if (!jobs.ok()) return ids;
  for (const v1::StoredJob& job : *jobs) ids.push_back(job.job().id());
  return ids;
}

std::vector<std::string> JournalTexts(const JobStore& store, const std::string& job_id) {
  const auto journal = store.Journal(job_id);
  EXPECT_TRUE(journal.ok()) << journal.status();
  std::vector<std::string> texts;
  if (!journal.ok()) return texts;
  for (const v1::JournalEntry& entry : *journal) texts.push_back(entry.note().text());
  return texts;
}

ProcessOptions WorkerOptions(const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.arguments = {"/proc/self/exe"};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  return options;
}

}  // namespace tidemark::testing
