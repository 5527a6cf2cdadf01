#ifndef TIDEMARK_COORDINATOR_STORE_STORE_FILE_H_
#define TIDEMARK_COORDINATOR_STORE_STORE_FILE_H_

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tidemark {

// Opens the store's file with this build's schema, and makes both when they are not there. The file belongs to the
// connection alone until it is closed. A file that is refused is left as it was, byte by byte. Never throws. Errors: as
// JobStore::Open.
absl::StatusOr<std::unique_ptr<SQLite::Database>> OpenStoreFile(const std::string& path);

// What SQLite threw while it worked on the file `path`. `db`: the connection it threw for; nullptr when there is none.
absl::Status StoreError(const SQLite::Exception& error, const SQLite::Database* db, const std::string& path);

// What is said of a file that cannot be read any more.
absl::Status Damaged(const std::string& path, const std::string& how);

}  // namespace tidemark

#endif  // TIDEMARK_COORDINATOR_STORE_STORE_FILE_H_
