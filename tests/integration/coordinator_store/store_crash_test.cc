// A coordinator that is killed in the middle of its writing: all that it was told is kept is there.
#include <signal.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tests/integration/coordinator_store/store_fixture.h"

namespace tidemark::testing {
namespace {

class StoreCrash : public StoreTest {
 protected:
  // Runs the worker until it has said `steps` steps, kills it, and returns how many it had said by then.
  int KillAfter(const std::string& what, int steps) {
    constexpr int64_t kDeadlineMs = 60'000;
    Process worker(WorkerOptions({what, dir()}));
    EXPECT_TRUE(worker.WaitForText(absl::StrCat("<", steps, ">"), kDeadlineMs)) << worker.err();
    worker.Signal(SIGKILL);
    EXPECT_EQ(worker.Wait(kDeadlineMs), 128 + SIGKILL);
    int said = 0;
    for (const char c : worker.out()) said += c == '>' ? 1 : 0;
    return said;
  }
};

TEST_F(StoreCrash, KeepsEveryEntryThatWasAcknowledged) {
  for (int round = 0; round < 3; ++round) {
    const int said = KillAfter("append", 20 + 7 * round);
    Open();
    const std::vector<std::string> texts = JournalTexts(*store_, "a");
    ASSERT_GE(texts.size(), static_cast<size_t>(said));
    ASSERT_LE(texts.size(), static_cast<size_t>(said) + 1);  // the one whose answer was cut off
    for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], absl::StrCat(i));
    ASSERT_TRUE(store_->Delete("a").ok());
    Close();
  }
}

TEST_F(StoreCrash, KeepsAJobAndItsResultTogether) {
  for (int round = 0; round < 3; ++round) {
    const int said = KillAfter("finish", 20 + 7 * round);
    Open();
    const auto result = store_->GetResult("a");
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(store_->Jobs()->front().job().name(), result->name());
    int number = 0;
    ASSERT_TRUE(absl::SimpleAtoi(result->name(), &number));
    EXPECT_GE(number, said - 1);
    Close();
  }
}

}  // namespace
}  // namespace tidemark::testing
