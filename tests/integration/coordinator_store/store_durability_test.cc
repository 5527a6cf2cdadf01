// What a call has written is on the disk when it returns: each waits for the kernel to have flushed it.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "tests/integration/coordinator_store/store_fixture.h"

namespace {

std::atomic<int> flushes{0};

int Flush(long call, int fd) {
  ++flushes;
  return static_cast<int>(syscall(call, fd));
}

}  // namespace

// The program's own, which SQLite's library finds before the C library's.
extern "C" int fsync(int fd) { return Flush(SYS_fsync, fd); }
extern "C" int fdatasync(int fd) { return Flush(SYS_fdatasync, fd); }

namespace tidemark::testing {
namespace {

class StoreDurability : public StoreTest {
 protected:
  StoreDurability() { Open(); }
  template <typename Call>
  int FlushesOf(Call call) {
    const int before = flushes;
    const absl::Status status = call();
    EXPECT_TRUE(status.ok()) << status;
    return flushes - before;
  }
};

TEST_F(StoreDurability, EachWriteIsFlushed) {
  EXPECT_GE(FlushesOf([this] { return store_->PutJob(MakeJob("a", 1)); }), 1);
  EXPECT_GE(FlushesOf([this] { return store_->Append("a", MakeEntry("x")); }), 1);
  EXPECT_GE(FlushesOf([this] { return store_->Append("a", MakeEntry("y")); }), 1);
  EXPECT_GE(FlushesOf([this] { return store_->Finish(MakeJob("a", 1), MakeResult("r")); }), 1);
  EXPECT_GE(FlushesOf([this] { return store_->Delete("a"); }), 1);
}

TEST_F(StoreDurability, AReadIsNot) {
  ASSERT_TRUE(store_->PutJob(MakeJob("a", 1)).ok());
  EXPECT_EQ(FlushesOf([this] { return store_->Jobs().status(); }), 0);
}

TEST_F(StoreDurability, SoIsTheCounterOfAStart) {
  Close();
  const int before = flushes;
  Open();
  EXPECT_GE(flushes - before, 1);
}

}  // namespace
}  // namespace tidemark::testing
