#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <exception>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/mutex.h"
#include "coordinator/store/directory_lock.h"
#include "coordinator/store/job_store.h"
#include "coordinator/store/job_tables.h"
#include "coordinator/store/store_file.h"

namespace tidemark {
namespace {

// The same bytes for the same message, whatever order a map has in memory.
std::string Encode(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// One connection behind one lock: a call lasts as long as the disk needs. It is the door at which SQLite's exceptions
// end.
class SqliteJobStore final : public JobStore {
 public:
  SqliteJobStore(DirectoryLock lock, std::string path, std::unique_ptr<SQLite::Database> db)
      : lock_(std::move(lock)), path_(std::move(path)), db_(std::move(db)), tables_(*db_) {}

  absl::Status BeginEpoch() {
    return Do([this](JobTables& tables) {
      epoch_ = tables.BeginEpoch();
      return absl::OkStatus();
    });
  }

  const SessionEpoch& epoch() const override { return epoch_; }

  absl::Status PutJob(const v1::StoredJob& job) override {
    return Do([&job](JobTables& tables) {
      tables.PutJob(job.job().id(), job.number(), Encode(job));
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<v1::StoredJob>> Jobs() const override {
    return ReadAll<v1::StoredJob>("a job", [](JobTables& tables) { return tables.Jobs(); });
  }

  absl::Status Append(const std::string& job_id, const v1::JournalEntry& entry) override {
    return Do([&](JobTables& tables) {
      return tables.Append(job_id, Encode(entry)) ? absl::OkStatus() : NoSuchJob(job_id);
    });
  }

  absl::StatusOr<std::vector<v1::JournalEntry>> Journal(const std::string& job_id) const override {
    return ReadAll<v1::JournalEntry>(absl::StrCat("the journal of job ", job_id),
                                     [&job_id](JobTables& tables) { return tables.Journal(job_id); });
  }

  absl::Status Finish(const v1::StoredJob& job, const v1::Result& result) override {
    return Do([&](JobTables& tables) {
      tables.Finish(job.job().id(), job.number(), Encode(job), Encode(result));
      return absl::OkStatus();
    });
  }

  absl::StatusOr<v1::Result> GetResult(const std::string& job_id) const override {
    const auto results = ReadAll<v1::Result>(absl::StrCat("the result of job ", job_id),
                                             [&job_id](JobTables& tables) { return tables.Result(job_id); });
    if (!results.ok()) return results.status();
    if (results->empty()) return absl::NotFoundError(absl::StrCat("job ", job_id, " has no result in ", path_));
    return results->front();
  }

  absl::Status Delete(const std::string& job_id) override {
    return Do([&](JobTables& tables) { return tables.Delete(job_id) ? absl::OkStatus() : NoSuchJob(job_id); });
  }

 private:
  absl::Status NoSuchJob(const std::string& job_id) const {
    return absl::NotFoundError(absl::StrCat("there is no job ", job_id, " in ", path_));
  }

  template <typename Body>
  absl::Status Do(Body body) const {
    MutexLock lock(mutex_);
    try {
      return body(tables_);
    } catch (const SQLite::Exception& error) {
      return StoreError(error, db_.get(), path_);
    } catch (const std::exception& error) {
      return absl::InternalError(absl::StrCat("the store ", path_, ": ", error.what()));
    }
  }

  // The messages whose bytes `query` gives. `what` they are, for a row that is none.
  template <typename Message, typename Query>
  absl::StatusOr<std::vector<Message>> ReadAll(const std::string& what, Query query) const {
    std::vector<std::string> rows;
    const absl::Status read = Do([&](JobTables& tables) {
      rows = query(tables);
      return absl::OkStatus();
    });
    if (!read.ok()) return read;
    std::vector<Message> messages(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!messages[i].ParseFromString(rows[i])) return Damaged(path_, absl::StrCat(what, " cannot be read"));
    }
    return messages;
  }

  const DirectoryLock lock_;  // given back last
  const std::string path_;
  const std::unique_ptr<SQLite::Database> db_;
  SessionEpoch epoch_;  // written before anybody else has the store
  mutable Mutex mutex_;
  mutable JobTables tables_ TIDEMARK_GUARDED_BY(mutex_);
};

absl::StatusOr<std::unique_ptr<JobStore>> OpenLocked(DirectoryLock lock, const std::string& path) {
  absl::StatusOr<std::unique_ptr<SQLite::Database>> db = OpenStoreFile(path);
  if (!db.ok()) return db.status();
  std::unique_ptr<SqliteJobStore> store;
  try {
    store = std::make_unique<SqliteJobStore>(std::move(lock), path, std::move(*db));
  } catch (const SQLite::Exception& error) {
    return StoreError(error, nullptr, path);
  }
  if (absl::Status s = store->BeginEpoch(); !s.ok()) return s;
  return store;
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> JobStore::Open(const std::string& data_dir) {
  if (absl::Status s = MakeDataDirectory(data_dir); !s.ok()) return s;
  absl::StatusOr<DirectoryLock> lock = DirectoryLock::Acquire(data_dir);
  if (!lock.ok()) return lock.status();
  return OpenLocked(std::move(*lock), data_dir + "/tidemark.db");
}

}  // namespace tidemark
