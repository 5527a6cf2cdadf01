#include "coordinator/store/store_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/rng/random_id.h"

namespace tidemark {
namespace {

constexpr int kSchemaVersion = 1;
constexpr int kApplicationId = 0x54444d4b;  // "TDMK", in the file's header: a store of ours, not any database
constexpr int kBusyTimeoutMs = 5000;        // somebody may look into the file with another program

constexpr char kSchema[] = R"sql(
  CREATE TABLE meta (
    store_uuid TEXT NOT NULL,
    epoch INTEGER NOT NULL  -- starts of a coordinator so far
  );
  CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL,  -- the queue's order
    job BLOB NOT NULL         -- StoredJob
  );
  CREATE INDEX jobs_by_number ON jobs (number);
  CREATE TABLE journal (
    position INTEGER PRIMARY KEY,
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    entry BLOB NOT NULL  -- JournalEntry
  );
  CREATE INDEX journal_by_job ON journal (job_id, position);
  CREATE TABLE results (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    result BLOB NOT NULL  -- Result
  );
)sql";

int64_t Number(SQLite::Database& db, const char* query) { return db.execAndGet(query).getInt64(); }

// Closing a connection moves the write-ahead log into the file, unless it is told to keep it.
void KeepLogAtClose(SQLite::Database& db, bool keep) {
  sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

bool IsFresh(SQLite::Database& db) {
  return Number(db, "PRAGMA application_id") == 0 && Number(db, "PRAGMA user_version") == 0 &&
         Number(db, "SELECT count(*) FROM sqlite_master") == 0;
}

absl::Status CheckKind(SQLite::Database& db, const std::string& path) {
  if (Number(db, "PRAGMA application_id") != kApplicationId) return Damaged(path, "it is another program's database");
  const int64_t version = Number(db, "PRAGMA user_version");
  if (version <= kSchemaVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the store ", path, " has schema version ", version, ", and this build knows versions up to ",
                   kSchemaVersion, ": start the newer build again, or give another data directory"));
}

absl::Status CheckIntegrity(SQLite::Database& db, const std::string& path) {
  const std::string found = db.execAndGet("PRAGMA quick_check(1)").getString();
  return found == "ok" ? absl::OkStatus() : Damaged(path, found);
}

void CreateSchema(SQLite::Database& db) {
  SQLite::Transaction transaction(db);
  db.exec(kSchema);
  SQLite::Statement meta(db, "INSERT INTO meta VALUES (?, 0)");
  meta.bind(1, RandomId());
  meta.exec();
  db.exec(absl::StrCat("PRAGMA user_version = ", kSchemaVersion, "; PRAGMA application_id = ", kApplicationId));
  transaction.commit();
}

// Nothing is written before the file is known to be ours and whole. The lock on the file is exclusive: then the
// log's index lies in this process's memory and not in a mapped file, where a full disk would be a SIGBUS.
absl::Status Prepare(SQLite::Database& db, const std::string& path) {
  db.exec("PRAGMA locking_mode = EXCLUSIVE");
  KeepLogAtClose(db, true);
  const bool fresh = IsFresh(db);
  if (!fresh) {
    if (absl::Status s = CheckKind(db, path); !s.ok()) return s;
    if (absl::Status s = CheckIntegrity(db, path); !s.ok()) return s;
  }
  KeepLogAtClose(db, false);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (fresh) CreateSchema(db);
  return absl::OkStatus();
}

// SQLite would make the file readable for all.
absl::Status MakePrivateFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the store ", path, " cannot be written (", strerror(errno), "): this user must own it"));
  }
  close(fd);
  return absl::OkStatus();
}

int LastErrorOf(sqlite3_file* file) {
  int error = 0;
  if (file != nullptr && file->pMethods != nullptr) {
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
  }
  return error;
}

// The errno behind an I/O error, 0 when it is not known. sqlite3_system_errno alone forgets that of a commit
// (SQLite 3.40): the files themselves, the write-ahead log first, are asked.
int SystemError(sqlite3* db) {
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(db, "main", which, &file);
    if (const int error = LastErrorOf(file); error != 0) return error;
  }
  return sqlite3_system_errno(db);
}

bool MeansNoRoom(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

}  // namespace

absl::Status Damaged(const std::string& path, const std::string& how) {
  return absl::DataLossError(absl::StrCat("the store ", path, " is damaged (", how,
                                          "): put a copy of it back, or move it away to start with an empty one"));
}

absl::Status StoreError(const SQLite::Exception& error, const SQLite::Database* db, const std::string& path) {
  const int code = error.getErrorCode() & 0xff;
  const int system = db != nullptr && code == SQLITE_IOERR ? SystemError(db->getHandle()) : 0;
  if (code == SQLITE_FULL || MeansNoRoom(system)) {
    return absl::ResourceExhaustedError(absl::StrCat("the disk is full: nothing can be added to ", path, " (",
                                                     system != 0 ? strerror(system) : error.what(), ")"));
  }
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) return Damaged(path, error.what());
  return absl::InternalError(absl::StrCat("the store ", path, ": ", error.what(),
                                          system != 0 ? absl::StrCat(" (", strerror(system), ")") : ""));
}

absl::StatusOr<std::unique_ptr<SQLite::Database>> OpenStoreFile(const std::string& path) {
  if (absl::Status s = MakePrivateFile(path); !s.ok()) return s;
  std::unique_ptr<SQLite::Database> db;
  try {
    db = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READWRITE, kBusyTimeoutMs);
    if (absl::Status s = Prepare(*db, path); !s.ok()) return s;
  } catch (const SQLite::Exception& error) {
    return StoreError(error, db.get(), path);
  }
  return db;
}

}  // namespace tidemark
