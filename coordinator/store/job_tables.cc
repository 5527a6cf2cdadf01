#include "coordinator/store/job_tables.h"

#include <cstdint>

namespace tidemark {
namespace {

// One run of a statement. At its end, however that comes, the statement is ready again and holds no lock.
class Run {
 public:
  explicit Run(SQLite::Statement& statement) : statement_(statement) {}
  ~Run() { statement_.tryReset(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // The next parameter. What is passed must live as long as this object.
  Run& Text(const std::string& text) {
    statement_.bindNoCopy(++bound_, text);
    return *this;
  }
  Run& Blob(const std::string& bytes) {
    statement_.bindNoCopy(++bound_, bytes.data(), static_cast<int>(bytes.size()));
    return *this;
  }
  Run& Number(uint64_t number) {
    statement_.bind(++bound_, static_cast<int64_t>(number));
    return *this;
  }

  // How many rows it changed.
  int Change() { return statement_.exec(); }

  // The first column of each row.
  std::vector<std::string> Blobs() {
    std::vector<std::string> blobs;
    while (statement_.executeStep()) blobs.push_back(statement_.getColumn(0).getString());
    return blobs;
  }

 private:
  SQLite::Statement& statement_;
  int bound_ = 0;
};

}  // namespace

JobTables::JobTables(SQLite::Database& db)
    : db_(db),
      // Not REPLACE, which would delete the old row and with it the job's journal.
      put_job_(db, "INSERT INTO jobs (id, number, job) VALUES (?, ?, ?) "
                   "ON CONFLICT (id) DO UPDATE SET number = excluded.number, job = excluded.job"),
      jobs_(db, "SELECT job FROM jobs ORDER BY number, id"),
      append_(db, "INSERT INTO journal (job_id, entry) SELECT id, ?2 FROM jobs WHERE id = ?1"),
      journal_(db, "SELECT entry FROM journal WHERE job_id = ? ORDER BY position"),
      put_result_(db, "INSERT INTO results (job_id, result) VALUES (?, ?) "
                      "ON CONFLICT (job_id) DO UPDATE SET result = excluded.result"),
      result_(db, "SELECT result FROM results WHERE job_id = ?"),
      delete_(db, "DELETE FROM jobs WHERE id = ?") {}

SessionEpoch JobTables::BeginEpoch() {
  SQLite::Transaction transaction(db_);
  db_.exec("UPDATE meta SET epoch = epoch + 1");
  SessionEpoch epoch = {db_.execAndGet("SELECT store_uuid FROM meta").getString(),
                        static_cast<uint64_t>(db_.execAndGet("SELECT epoch FROM meta").getInt64())};
  transaction.commit();
  return epoch;
}

void JobTables::PutJob(const std::string& id, uint64_t number, const std::string& job) {
  Run(put_job_).Text(id).Number(number).Blob(job).Change();
}

std::vector<std::string> JobTables::Jobs() { return Run(jobs_).Blobs(); }

bool JobTables::Append(const std::string& job_id, const std::string& entry) {
  return Run(append_).Text(job_id).Blob(entry).Change() > 0;
}

std::vector<std::string> JobTables::Journal(const std::string& job_id) { return Run(journal_).Text(job_id).Blobs(); }

void JobTables::Finish(const std::string& id, uint64_t number, const std::string& job, const std::string& result) {
  SQLite::Transaction transaction(db_);
  PutJob(id, number, job);
  Run(put_result_).Text(id).Blob(result).Change();
  transaction.commit();
}

std::vector<std::string> JobTables::Result(const std::string& job_id) { return Run(result_).Text(job_id).Blobs(); }

bool JobTables::Delete(const std::string& id) { return Run(delete_).Text(id).Change() > 0; }

}  // namespace tidemark
