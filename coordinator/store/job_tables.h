#ifndef TIDEMARK_COORDINATOR_STORE_JOB_TABLES_H_
#define TIDEMARK_COORDINATOR_STORE_JOB_TABLES_H_

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "common/session/fencing.h"

namespace tidemark {

// The statements on the tables of store_file.cc's schema. Messages are bytes here. Every call throws
// SQLite::Exception; what it had written is then gone again. Thread-compatible.
class JobTables {
 public:
  // `db` must outlive it.
  explicit JobTables(SQLite::Database& db);

  // Bumps the counter and returns what it is now.
  SessionEpoch BeginEpoch();

  void PutJob(const std::string& id, uint64_t number, const std::string& job);
  std::vector<std::string> Jobs();
  // False: no such job.
  bool Append(const std::string& job_id, const std::string& entry);
  std::vector<std::string> Journal(const std::string& job_id);
  void Finish(const std::string& id, uint64_t number, const std::string& job, const std::string& result);
  // None or one.
  std::vector<std::string> Result(const std::string& job_id);
  // False: no such job.
  bool Delete(const std::string& id);

 private:
  SQLite::Database& db_;
  SQLite::Statement put_job_, jobs_, append_, journal_, put_result_, result_, delete_;
};

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_STORE_JOB_TABLES_H_
