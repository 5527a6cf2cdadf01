// A store in a new folder, and what is put into it.
#ifndef TIDEMARK_TESTS_INTEGRATION_COORDINATOR_STORE_STORE_FIXTURE_H_
#define TIDEMARK_TESTS_INTEGRATION_COORDINATOR_STORE_STORE_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "coordinator/store/job_store.h"
#include "tests/support/process.h"

namespace tidemark::testing {

v1::StoredJob MakeJob(const std::string& id, uint64_t number, const std::string& name = "a job");
// An entry of the journal, told from others by its text.
v1::JournalEntry MakeEntry(const std::string& text);
v1::Result MakeResult(const std::string& name);

std::unique_ptr<JobStore> MustOpen(const std::string& dir);
std::vector<std::string> JobIds(const JobStore& store);
std::vector<std::string> JournalTexts(const JobStore& store, const std::string& job_id);

// This program once more, as another process (store_worker.h).
ProcessOptions WorkerOptions(const std::vector<std::string>& arguments);

class StoreTest : public ::testing::Test {
 protected:
  std::string dir() const { return folder_.File("data"); }
  std::string file() const { return dir() + "/tidemark.db"; }
  // REQUIRES: no store is open.
  void Open() { store_ = MustOpen(dir()); }
  void Close() { store_.reset(); }

  const TemporaryFolder folder_;
  std::unique_ptr<JobStore> store_;
};

}  // namespace tidemark::testing

#endif  // TIDEMARK_TESTS_INTEGRATION_COORDINATOR_STORE_STORE_FIXTURE_H_
