#include <gmock/gmock.h>

#include "tests/integration/coordinator_store/store_worker.h"

// With words that are no flags: the other process.
int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (argc > 1) return tidemark::testing::RunStoreWorker({argv + 1, argv + argc});
  return RUN_ALL_TESTS();
}
